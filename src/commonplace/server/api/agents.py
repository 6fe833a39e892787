"""JSON for conversations with agents: for the person of this machine, or a token that approves.

What an agent says is streamed as server-sent events: the whole conversation first, then whatever
changes. One who reads too slowly is given the whole again instead of a longer queue.
"""

import json
from collections.abc import AsyncGenerator, Callable
from typing import cast, get_args

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from commonplace.agent.agents import Agents
from commonplace.agent.conversation import Conversation
from commonplace.agent.events import Choice, Event, Prompt
from commonplace.agent.record import ConversationRecord
from commonplace.agent.settings import KNOWN
from commonplace.core.view import FOLDERS_MAX
from commonplace.errors import BadArgument
from commonplace.server.api.answers import answering, guarded
from commonplace.server.body import Body, body_of, texts_of, whole_number

_NOTES_MAX = 50
SELECTION_CHARS_MAX = 100_000
IMAGE_CHARS_MAX = 3_500_000
NEWS_MAX = 1_000

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")
_BEAT_SECONDS = 20.0
_GATHER_SECONDS = 0.02


def routes(agents: Callable[[], Agents], page: Callable[[], str]) -> list[Route]:
    """Make the routes over the conversations of one vault; `page` says where it is served."""
    desk = _AgentsApi(agents, page)
    one, post = "/api/agents/conversations/{id}", ["POST"]
    return [
        Route("/api/agents", answering(desk.named)),
        Route("/api/agents/conversations", answering(desk.list)),
        Route("/api/agents/begin", guarded(desk.begin), methods=post),
        Route(one, answering(desk.show)),
        Route(f"{one}/events", answering(desk.events)),
        Route(f"{one}/verdicts", answering(desk.verdicts)),
        Route(f"{one}/prompt", guarded(desk.prompt), methods=post),
        Route(f"{one}/answer", guarded(desk.answer), methods=post),
        Route(f"{one}/mode", guarded(desk.mode), methods=post),
        Route(f"{one}/stop", guarded(desk.stop), methods=post),
        Route(f"{one}/delete", guarded(desk.delete), methods=post),
    ]


class _AgentsApi:
    def __init__(self, agents: Callable[[], Agents], page: Callable[[], str]) -> None:
        self._agents, self._page = agents, page

    async def named(self, _: Request) -> Response:
        """List the agents that the person has named, and those that are known."""
        named = self._agents().personal().agents
        return JSONResponse(
            {
                "agents": [
                    {"name": one.name, "installed": one.installed} for one in named.values()
                ],
                "known": [
                    {"name": one.name, "title": one.title, "install": one.install} for one in KNOWN
                ],
                "page": self._page(),
            }
        )

    async def list(self, request: Request) -> Response:
        """List conversations, newest first."""
        agents = self._agents()
        found = await agents.listed(request.query_params.get("q", "").strip())
        rows = [_row(one, agents.state_of(one.id)) for one in found]
        return JSONResponse({"conversations": rows})

    async def begin(self, request: Request) -> Response:
        """Begin a conversation."""
        body = await body_of(request)
        name, folders = _text(body, "agent", 100), texts_of(body, "folders", FOLDERS_MAX)
        return JSONResponse(shown(await self._agents().begin(name, folders)))

    async def show(self, request: Request) -> Response:
        """Show a conversation whole."""
        return JSONResponse(shown(await self._found(request)))

    async def events(self, request: Request) -> Response:
        """Tell what is said, for as long as somebody listens."""
        news = _ConversationNews(await self._found(request))
        return StreamingResponse(
            news.told(), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def verdicts(self, request: Request) -> Response:
        """Say what people made of a set, for the next prompt."""
        number = whole_number(request.query_params.get("set", ""), "set", least=1)
        text = await self._agents().verdicts(request.path_params["id"], number)
        return JSONResponse({"text": text})

    async def prompt(self, request: Request) -> Response:
        """Ask the agent something."""
        body = await body_of(request)
        conversation = await self._found(request)
        conversation.ask(_prompt(body))
        return JSONResponse({"state": conversation.state})

    async def answer(self, request: Request) -> Response:
        """Answer what the agent asks."""
        body = await body_of(request)
        choice = body.get("choice")
        if choice not in get_args(Choice):
            raise BadArgument('choice must be "once", "conversation" or "no".')
        conversation = await self._found(request)
        conversation.answer(_text(body, "question", 100), cast("Choice", choice))
        return JSONResponse({"state": conversation.state})

    async def mode(self, request: Request) -> Response:
        """Choose one of the agent's modes."""
        conversation = await self._found(request)
        await conversation.set_mode(_text(await body_of(request), "mode", 100))
        return JSONResponse({"state": conversation.state})

    async def stop(self, request: Request) -> Response:
        """Stop the agent."""
        conversation = await self._found(request)
        await conversation.stop()
        return JSONResponse({"state": conversation.state})

    async def delete(self, request: Request) -> Response:
        """Delete a conversation."""
        await self._agents().delete(request.path_params["id"])
        return JSONResponse({"deleted": True})

    async def _found(self, request: Request) -> Conversation:
        return await self._agents().get(request.path_params["id"])


class _ConversationNews:
    """What was said and is not told yet."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._waiting: list[str] = []
        self._something = anyio.Event()

    async def told(self) -> AsyncGenerator[bytes]:
        """Tell all of it, then what changes; a beat now and then shows that we live."""
        listeners = self._conversation.said.listeners
        listeners.add(self._hear)
        try:
            self._hear_all()
            while True:
                with anyio.move_on_after(_BEAT_SECONDS):
                    await self._something.wait()
                    await anyio.sleep(_GATHER_SECONDS)
                yield self._taken() or b": beat\n\n"
        finally:
            listeners.discard(self._hear)

    def _hear(self, news: Event) -> None:
        # Written down at once: an entry goes on changing.
        self._waiting.append(json.dumps(news))
        if len(self._waiting) > NEWS_MAX:
            self._hear_all()
        self._something.set()

    def _hear_all(self) -> None:
        self._waiting = [json.dumps({"conversation": shown(self._conversation)})]
        self._something.set()

    def _taken(self) -> bytes:
        taken, self._waiting = self._waiting, []
        self._something = anyio.Event()
        return "".join(f"data: {each}\n\n" for each in taken).encode()


def shown(conversation: Conversation) -> Event:
    """Put a conversation as the page and the command line show it; times in milliseconds."""
    whole = conversation.snapshot()
    row = _row(conversation.record, conversation.state)
    kept = ("entries", "commands", "modes", "sign_in", "pictures")
    return {**row, **{name: whole[name] for name in kept}}


def _row(record: ConversationRecord, state: str) -> Event:
    sets = [entry["set"] for entry in record.entries if entry.get("set")]
    return {
        "id": record.id,
        "agent": record.agent,
        "title": record.title,
        "created": int(record.created * 1000),
        "changed": int(record.changed * 1000),
        "state": state,
        "sets": sets,
        "folders": record.folders,
    }


def _prompt(body: Body) -> Prompt:
    image, image_type = _text(body, "image", IMAGE_CHARS_MAX), _text(body, "image_type", 20)
    if image and image_type not in _IMAGE_TYPES:
        raise BadArgument(f"image_type must be one of {', '.join(_IMAGE_TYPES)}.")
    return Prompt(
        text=_text(body, "text"),
        notes=tuple(texts_of(body, "notes", _NOTES_MAX)),
        selection=_text(body, "selection", SELECTION_CHARS_MAX),
        selected_in=_text(body, "selected_in", 1_000),
        image=image,
        image_type=image_type,
    )


def _text(body: Body, name: str, chars_max: int = 1_000_000) -> str:
    value = body.get(name, "")
    if not isinstance(value, str) or len(value) > chars_max:
        raise BadArgument(f"{name} must be a text of at most {chars_max:,} characters.")
    return value
