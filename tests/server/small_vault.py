"""A vault for the server's tests: notes in a dictionary, and a few real tools over them."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

import anyio
import mcp_types as types
from anyio.abc import SocketStream, UNIXSocketStream
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter
from starlette.applications import Starlette

from commonplace.errors import NotFound
from commonplace.server.app import create_app
from commonplace.server.mcp.direct.answers import DirectAnswers
from commonplace.server.mcp.late_server import GetServer
from commonplace.server.mcp.ports import NoteEvent
from commonplace.server.mcp.server import NoteServer, build
from commonplace.server.mcp.stream import SessionService, serve_stream
from commonplace.server.mcp.tool_calls import ToolCalls
from commonplace.tools.table import Actor, Answer, Call, Tool, Toolbox, definition

NOTES = {
    "Garden/Bees.md": "# Bees\nThey visit [[Clover]].\n",
    "Garden/Clover.md": "# Clover\n",
    "Reading list?.md": "#1 on the list\n",
    "日記/あ 😀.md": "こんにちは\n",
}
OWNER = Actor("socket:1", "commonplace")


@dataclass(frozen=True, slots=True)
class Info:
    path: str
    title: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class Change:
    path: str
    kind: Literal["appeared", "changed", "gone"]


class Shelf:
    """Notes that live in memory and tell their followers when they change."""

    def __init__(self, notes: Mapping[str, str] = NOTES) -> None:
        self.notes = dict(notes)
        self.listeners: list[Callable[[NoteEvent], None]] = []

    async def page(self, after: str | None, limit: int) -> tuple[list[Info], str | None]:
        paths = sorted(path for path in self.notes if after is None or path > after)
        shown = paths[:limit]
        return [self._info(p) for p in shown], shown[-1] if len(paths) > limit else None

    async def text(self, path: str) -> str:
        if path not in self.notes:
            raise NotFound(f"Document not found: {path}")
        return self.notes[path]

    async def complete(self, prefix: str, limit: int) -> list[str]:
        return sorted(p for p in self.notes if p.startswith(prefix))[:limit]

    def follow(self, listener: Callable[[NoteEvent], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def put(self, path: str, text: str) -> None:
        kind = "changed" if path in self.notes else "appeared"
        self.notes[path] = text
        self._tell(Change(path, kind))

    def remove(self, path: str) -> None:
        del self.notes[path]
        self._tell(Change(path, "gone"))

    def _tell(self, change: Change) -> None:
        for listener in self.listeners:
            listener(change)

    def _info(self, path: str) -> Info:
        return Info(path, path.rpartition("/")[2], len(self.notes[path].encode()), 1_700_000_000.5)


def toolbox(shelf: Shelf, **more: Any) -> Toolbox:
    """Read, glob and edit over a shelf; a few paths make `read` misbehave or tell tales."""

    async def read(call: Call, arguments: Mapping[str, object]) -> Answer:
        path = cast("str", arguments["file_path"])
        if path == "who":
            return Answer(f"{call.actor.id}|{call.actor.name}")
        if path == "bug":
            raise KeyError("/srv/secret")
        if path == "slow":
            for step in range(3):
                await call.progress(step + 1, 3, f"step {step + 1}")
        if path == "never":
            await anyio.sleep_forever()
        if path == "meta":
            return Answer("see meta", meta={"lines": 2})
        return Answer("done" if path == "slow" else await shelf.text(path))

    async def glob(_: Call, arguments: Mapping[str, object]) -> Answer:
        pattern = cast("str", arguments["pattern"])
        return Answer("\n".join(p for p in shelf.notes if fnmatchcase(p, pattern)))

    async def edit(_: Call, arguments: Mapping[str, object]) -> Answer:
        path, old, new = (
            cast("str", arguments[n]) for n in ("file_path", "old_string", "new_string")
        )
        shelf.put(path, (await shelf.text(path)).replace(old, new))
        return Answer(f"Edited {path}")

    runs = {"read": read, "glob": glob, "edit": edit}
    tools = [Tool(definition(n), "files", n == "edit", run) for n, run in runs.items()]
    return Toolbox(tools, **more)


def server_on(shelf: Shelf, **more: Any) -> NoteServer:
    return build(toolbox(shelf), shelf, version="9.9", **more)


def giving(server: Server[Any]) -> GetServer:
    """Give a server that was built before."""

    async def get() -> Server[Any]:
        return server

    return get


def app_on(server: Server[Any], *more: Any, **named: Any) -> Starlette:
    """The HTTP application over a server that was built before."""
    return create_app(giving(server), *more, **named)


def service_on(shelf: Shelf, server: Server[Any] | None = None) -> SessionService:
    """What sessions are served with: the tools of a shelf, directly and through the SDK."""
    calls = ToolCalls(toolbox(shelf))
    made = server or build(calls, shelf, version="9.9")
    return SessionService(giving(made), shelf, DirectAnswers(calls, "9.9"))


def sdk_alone(server: Server[Any], shelf: Shelf) -> SessionService:
    """The SDK's server for everything."""

    async def given() -> Server[Any]:
        return server

    return SessionService(given, shelf, None)


async def pair() -> tuple[SocketStream, SocketStream]:
    import socket

    here, there = socket.socketpair()
    return await UNIXSocketStream.from_socket(here), await UNIXSocketStream.from_socket(there)


@asynccontextmanager
async def over_stream(
    server: Server[Any] | SessionService, actor: Actor = OWNER
) -> AsyncGenerator[Any]:
    """A transport for the SDK's client that ends in `serve_stream`."""
    near, far = await pair()
    heard, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def hear() -> None:
        rest = b""
        async with heard:
            async for data in near:
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    await heard.send(SessionMessage(jsonrpc_message_adapter.validate_json(line)))

    async def say() -> None:
        async for message in outgoing:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await near.send(text.encode() + b"\n")

    async with anyio.create_task_group() as tasks, near, far, said, outgoing, incoming:
        service = server if isinstance(server, SessionService) else sdk_alone(server, Shelf())
        tasks.start_soon(serve_stream, service, far, far, actor)
        tasks.start_soon(hear)
        tasks.start_soon(say)
        yield incoming, said
        tasks.cancel_scope.cancel()


def text_of(result: types.CallToolResult | types.InputRequiredResult) -> str:
    """The text of an answer, what is told beside it apart, and nothing structured."""
    assert isinstance(result, types.CallToolResult)
    block, *_ = result.content
    assert isinstance(block, types.TextContent)
    assert result.structured_content is None
    return block.text
