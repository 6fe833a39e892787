"""One conversation with an agent: what is said, what is asked, and what became of it.

One prompt is one turn, and all that the agent writes in a turn is one change set.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Literal, Protocol

from commonplace.agent.events import Choice, Event, Prompt, Question
from commonplace.agent.questions import AgentQuestions
from commonplace.agent.record import ConversationRecord
from commonplace.agent.transcript import Transcript
from commonplace.errors import BadArgument, CommonplaceError, Conflict

PROMPT_CHARS_MAX = 100_000
TURN_SECONDS_MAX = 3_600.0
TURN_CHARS_MAX = 4_000_000
TURN_EVENTS_MAX = 100_000
STOP_SECONDS_MAX = 10.0
SAVE_SECONDS = 2.0

State = Literal["resting", "starting", "working", "failed"]


class Client(Protocol):
    """An agent that runs."""

    @property
    def session(self) -> str: ...  # noqa: D102
    async def prompt(self, prompt: Prompt) -> str: ...  # noqa: D102
    async def cancel(self) -> None: ...  # noqa: D102
    async def set_mode(self, mode: str) -> None: ...  # noqa: D102
    async def close(self) -> None: ...  # noqa: D102


class Workspace(Protocol):
    """What a conversation works with: its agent's process, its working copy, its change sets."""

    def can_go_on(self) -> bool: ...  # noqa: D102
    async def start(self, conversation: "Conversation") -> Client: ...  # noqa: D102
    async def begin(self, title: str, conversation: str) -> int: ...  # noqa: D102
    async def finish(self, number: int) -> bool: ...  # noqa: D102
    def is_silent(self, question: Question) -> bool: ...  # noqa: D102
    def note_at(self, path: str) -> str: ...  # noqa: D102
    async def read_file(self, path: str, line: int | None, limit: int | None) -> str: ...  # noqa: D102
    async def write_file(self, path: str, text: str) -> None: ...  # noqa: D102
    async def close(self) -> None: ...  # noqa: D102


class Conversation:
    """A conversation, with its agent's process while there is one."""

    def __init__(
        self,
        record: ConversationRecord,
        place: Workspace,
        save: Callable[[ConversationRecord], Awaitable[None]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.record, self._place = record, place
        self._save, self._clock = save, clock
        self._client: Client | None = None
        self._turn: asyncio.Task[None] | None = None
        self._chars = self._heard = 0
        self._saved = 0.0
        self.said = Transcript(record.entries)
        self._end_lost_turn()
        self._questions = AgentQuestions(self.said, place.is_silent, self._keep)
        self.about: Event = {
            "commands": [],
            "modes": {},
            "sign_in": [],
            "pictures": None,  # known once it has run
        }
        self.state: State = "resting"

    @property
    def runs(self) -> bool:
        """Whether its agent's process runs."""
        return self._client is not None

    # -- for people

    def snapshot(self) -> Event:
        """Return all of it, for one who begins to listen."""
        record = asdict(self.record)
        return {**record, "state": self.state, **self.about}

    def ask(self, prompt: Prompt) -> None:
        """Ask the agent; the answer comes as entries."""
        if not prompt.text.strip() or len(prompt.text) > PROMPT_CHARS_MAX:
            raise BadArgument(f"Write a prompt of 1 to {PROMPT_CHARS_MAX:,} characters.")
        if self._turn is not None and not self._turn.done():
            raise Conflict("The agent is still at work. Wait for it, or stop it.")
        self._chars = self._heard = 0
        title = " ".join(prompt.text.split())[:100]
        self.record.title = self.record.title or title
        self.said.add(
            {
                "kind": "asked",
                "text": prompt.text,
                "notes": list(prompt.notes),
                "selection": prompt.selection,
                "image": bool(prompt.image),
            }
        )
        self._turn = asyncio.create_task(self._work(prompt, title))

    async def stop(self) -> None:
        """Have the agent stop; one that does not is ended."""
        turn = self._turn
        if turn is None or turn.done():
            return
        self._questions.drop()
        if self._client is not None:
            await self._client.cancel()
            await asyncio.wait([turn], timeout=STOP_SECONDS_MAX)
        if not turn.done():
            turn.cancel()
            await asyncio.wait([turn])

    def answer(self, id: str, choice: Choice) -> None:
        """Answer a question of the agent."""
        self._questions.answer(id, choice)

    async def set_mode(self, mode: str) -> None:
        """Choose one of the agent's modes."""
        if self._client is None:
            raise Conflict("The agent does not run yet. Ask it something first.")
        await self._client.set_mode(mode)
        self.about["modes"] = {**self.about["modes"], "current": mode}
        self.said.tell({"about": self.about})

    async def finished(self) -> None:
        """Wait until the agent rests."""
        if self._turn is not None:
            await asyncio.wait([self._turn])

    async def close(self) -> None:
        """End the agent; the conversation can be taken up again."""
        if self._turn is not None and not self._turn.done():
            self._turn.cancel()
            await asyncio.wait([self._turn])
        await self._end_client()
        await self._place.close()

    # -- a turn

    async def _work(self, prompt: Prompt, title: str) -> None:
        number = 0
        reason = "stopped"
        try:
            async with asyncio.timeout(TURN_SECONDS_MAX):
                client = await self._running()
                number = await self._place.begin(title, self.record.id)
                self._become("working")
                reason = await client.prompt(prompt)
                self.record.session = client.session
        except asyncio.CancelledError:
            await self._end_client()
        except TimeoutError:
            reason = "failed"
            await self._fail("It worked for an hour, and was ended.")
        except CommonplaceError as error:
            reason = "failed"
            await self._fail(str(error))
        finally:
            await asyncio.shield(self._end_turn(number, reason))

    async def _running(self) -> Client:
        if self._client is not None and not self._place.can_go_on():
            await self._end_client()
            await self._place.close()
        if self._client is None:
            self._become("starting")
            self._client = await self._place.start(self)
            self.record.session = self._client.session
        return self._client

    async def _end_turn(self, number: int, reason: str) -> None:
        self._questions.drop()
        wrote = False
        if number:
            try:
                wrote = await self._place.finish(number)
            except CommonplaceError as error:
                self.said.add({"kind": "failed", "text": str(error)})
        self.said.end_turn()
        self.said.add({"kind": "done", "reason": reason, "set": number if wrote else None})
        self._become("failed" if reason == "failed" else "resting")
        await self._keep()

    def _end_lost_turn(self) -> None:
        """End a turn that was under way when the process before this one ended."""
        entries = self.record.entries
        if entries and entries[-1]["kind"] != "done":
            self.said.end_turn()
            self.said.add({"kind": "done", "reason": "stopped", "set": None})

    async def _fail(self, text: str) -> None:
        self.said.add({"kind": "failed", "text": text})
        await self._end_client()

    async def _end_client(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await asyncio.shield(client.close())

    def _become(self, state: State) -> None:
        self.state = state
        self.said.tell({"state": state})

    def _tell_about(self, **more: object) -> None:
        self.about.update(more)
        self.said.tell({"about": self.about})

    # -- what the agent says (`client.Host`)

    async def hear(self, event: Event) -> None:
        """Take what the agent says."""
        if self._is_too_much(event):
            return
        match event.pop("kind"):
            case "said" | "thought" as kind:
                self.said.extend(kind, event["text"])
            case "step":
                for place in event.get("places", ()):
                    place["note"] = self._place.note_at(place["path"])
                self.said.step(event)
            case "plan":
                self.said.plan(event)
            case "commands":
                self._tell_about(commands=event["offered"])
            case "modes":
                self._tell_about(modes={**self.about["modes"], **event})
            case "able":
                self._tell_about(**event)
            case _:
                return
        if self._clock() - self._saved > SAVE_SECONDS:
            await self._keep()

    def _is_too_much(self, event: Event) -> bool:
        """Count what comes in a turn; an agent that says more than anybody reads is ended."""
        over = self._heard > TURN_EVENTS_MAX or self._chars > TURN_CHARS_MAX
        self._heard += 1
        self._chars += sum(len(text) for text in event.values() if isinstance(text, str))
        is_over = self._heard > TURN_EVENTS_MAX or self._chars > TURN_CHARS_MAX
        if is_over and not over and self._turn is not None:
            self.said.add({"kind": "failed", "text": "It said too much at once, and was ended."})
            self._turn.cancel()
        return is_over

    async def permit(self, question: Question) -> Choice:
        """Answer whether the agent may do something."""
        return await self._questions.permit(question)

    async def read_file(self, path: str, line: int | None, limit: int | None) -> str:
        """Return a file of the working copy."""
        return await self._place.read_file(path, line, limit)

    async def write_file(self, path: str, text: str) -> None:
        """Write a file of the working copy."""
        await self._place.write_file(path, text)

    def trouble(self, path: str, text: str) -> None:
        """Tell that something the agent saved could not be taken."""
        self.said.add({"kind": "trouble", "path": path, "text": text})

    async def _keep(self) -> None:
        self._saved = self.record.changed = self._clock()
        await self._save(self.record)
