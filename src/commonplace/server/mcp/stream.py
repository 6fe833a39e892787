"""One MCP session over a pair of byte streams: a JSON-RPC message a line, in each direction.

This is stdio, and each connection to the owner's socket. What can be is answered directly; for all
else the SDK's server is loaded when it is first needed, told how the session began, and given the
line as it came. Requests start in the order in which they came: while the SDK has one unanswered,
the others go there too. A line that nobody can read is answered with an error and the session goes
on. When the client closes its side, calls that are under way get `CLOSING_SECONDS` to be answered;
the session ends within a second whatever the client does, or does not, read.
"""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, cast

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, TaskGroup

from commonplace.server.mcp.direct.answers import DirectAnswers, failure, progress_notice
from commonplace.server.mcp.direct.failures import CONNECTION_CLOSED, INTERNAL_ERROR
from commonplace.server.mcp.direct.line_writer import LineWriter
from commonplace.server.mcp.direct.list_changes import ListChanges
from commonplace.server.mcp.direct.requests import Opening, Request, recognize, replayed_opening
from commonplace.server.mcp.late_server import GetServer
from commonplace.server.mcp.ports import Notes
from commonplace.server.owner.line_buffer import LineBuffer, TooLong
from commonplace.tools.table import Actor, Progress, no_progress

if TYPE_CHECKING:
    from commonplace.server.mcp.sdk_session import SdkSession

UNANSWERED_MAX = 256
CLOSING_SECONDS = 0.4
FLUSHING_SECONDS = 0.2

_CANCELLED = "notifications/cancelled"
_INITIALIZED = "notifications/initialized"
# The answer to this request is a stream that lasts as long as the session: not worth waiting for.
_ENDLESS = "subscriptions/listen"
_STREAM_ENDED = (anyio.BrokenResourceError, anyio.ClosedResourceError)

Json = dict[str, object]
RequestId = str | int


@dataclass(frozen=True, slots=True)
class SessionService:
    """What sessions are served with; without `direct`, the SDK's server answers everything."""

    server: GetServer
    notes: Notes
    direct: DirectAnswers | None


async def serve_stream(
    service: SessionService, receive: ByteReceiveStream, send: ByteSendStream, actor: Actor
) -> None:
    """Serve one client until it closes its side; any number of these may run at once."""
    async with anyio.create_task_group() as tasks, asyncio.TaskGroup() as calls:
        await _StreamSession(service, send, actor, tasks, calls).run(receive)
        tasks.cancel_scope.cancel()


class _StreamSession:
    """A client's session: what it was opened with, and what waits for an answer.

    The calls have a group of asyncio's own: a task of anyio's costs a tenth of a short call.
    """

    def __init__(
        self,
        service: SessionService,
        send: ByteSendStream,
        actor: Actor,
        tasks: TaskGroup,
        calls: asyncio.TaskGroup,
    ) -> None:
        self._service, self._actor, self._tasks, self._calls = service, actor, tasks, calls
        self._writer = LineWriter(send)
        self._changes = ListChanges(service.notes, self._writer.put)
        self._direct = service.direct
        self._opening: Opening | None = None
        self._said: list[Json] = []
        self._under_way: dict[RequestId, tuple[RequestId, anyio.CancelScope]] = {}
        self._unanswered: list[RequestId] = []
        self._with_sdk: set[RequestId | None] = set()
        self._answered = anyio.Event()
        self._sdk: SdkSession | None = None

    async def run(self, receive: ByteReceiveStream) -> None:
        """Take the client's messages, then let the answers go out, then end the session."""
        reading, written = anyio.CancelScope(), anyio.Event()
        self._tasks.start_soon(self._write, reading, written)
        with self._changes, reading:
            with suppress(*_STREAM_ENDED):
                lines = LineBuffer()
                async for data in receive:
                    for line in lines.feed(data):
                        await self._take(line)
            await self._all_answered()
        await self._end(written)

    async def _write(self, reading: anyio.CancelScope, written: anyio.Event) -> None:
        try:
            await self._writer.run()
        except _STREAM_ENDED:
            reading.cancel()
        finally:
            written.set()

    async def _end(self, written: anyio.Event) -> None:
        for ident, scope in self._under_way.values():
            scope.cancel()
            self._writer.put(failure(ident, CONNECTION_CLOSED, "Connection closed"))
        with anyio.move_on_after(FLUSHING_SECONDS):
            if self._sdk is not None:
                self._sdk.close()
                await self._sdk.ended.wait()
            self._writer.close()
            await written.wait()

    # -- what the client says

    async def _take(self, line: bytes | TooLong) -> None:
        message = _parsed(line)
        if _is_notification(message):
            await self._notified(line, message)
        elif (request := self._recognized(message)) is None:
            await self._pass_on(line, message)
        elif not self._fits(request.id):
            await self._refuse_more(request.id)
        else:
            if self._opening is None:
                await self._open(request.opening, replayed_opening(message))
            self._begin(request)

    async def _open(self, opening: Opening, replayed: Json) -> None:
        self._opening, self._said = opening, [replayed]
        if self._sdk is not None:
            await self._sdk.replay(self._said)

    def _recognized(self, message: Json) -> Request | None:
        if self._direct is None or self._with_sdk or not message:
            return None
        return recognize(message, self._opening, self._direct.tools)

    def _fits(self, ident: RequestId) -> bool:
        """Keep account of what waits for an answer; there is only so much of it at a time."""
        if len(self._unanswered) < UNANSWERED_MAX:
            self._unanswered.append(ident)
            return True
        return False

    async def _refuse_more(self, ident: RequestId) -> None:
        text = f"{UNANSWERED_MAX} requests are unanswered. Wait for some of them."
        self._writer.put(failure(ident, INTERNAL_ERROR, text))
        await self._writer.room()

    async def _notified(self, line: bytes | TooLong, message: Json) -> None:
        if message["method"] == _CANCELLED:
            ident = cast("Json", message.get("params", {})).get("requestId")
            if isinstance(ident, str | int) and not isinstance(ident, bool):
                self._cancel(ident)
        elif message["method"] == _INITIALIZED and self._sdk is None:
            self._said = [*self._said[:1], message]
            if self._opening is not None and not self._opening.modern:
                self._changes.follow()
        if self._sdk is not None:
            await self._pass_on(line, message)

    def _cancel(self, ident: RequestId) -> None:
        """Stop a call; no answer follows, in either era."""
        found = self._under_way.get(_coerced(ident))
        if found is None:
            self._settle(ident)
        else:
            found[1].cancel()
            self._settle(found[0])

    # -- what is answered directly

    def _begin(self, request: Request) -> None:
        assert self._direct is not None
        if request.needs_tools:
            self._calls.create_task(self._answer(request, self._direct))
        else:
            answer = self._direct.introduce(request)
            self._writer.put(answer, partial(self._settle, request.id))

    async def _answer(self, request: Request, direct: DirectAnswers) -> None:
        actor = replace(self._actor, name=request.opening.client or self._actor.name)
        key = _coerced(request.id)
        with anyio.CancelScope() as scope:
            self._under_way[key] = request.id, scope
            try:
                progress = no_progress if request.progress is None else self._progress_of(request)
                _, answer = await direct.answer(request, actor, progress)
                self._writer.put(answer, partial(self._settle, request.id))
            finally:
                if self._under_way.get(key) == (request.id, scope):
                    del self._under_way[key]

    def _progress_of(self, request: Request) -> Progress:
        token = cast("RequestId", request.progress)

        async def report(
            progress: float, total: float | None = None, message: str | None = None
        ) -> None:
            await self._writer.room()
            self._writer.put(progress_notice(token, progress, total, message))

        return report

    # -- what is left to the SDK

    async def _pass_on(self, line: bytes | TooLong, message: Json) -> None:
        sdk = self._sdk or await self._start_sdk()
        if message.get("method") == "initialize" or (self._opening is None and "id" in message):
            self._direct = None  # the SDK decides what this session is
        request = sdk.request_of(found := await sdk.read(line))
        if found is None:
            return
        if request is not None and request.method != _ENDLESS:
            if not self._fits(request.id):
                await self._refuse_more(request.id)
                return
            self._with_sdk.add(request.id)
        await sdk.take(found)

    async def _start_sdk(self) -> "SdkSession":
        server = await self._service.server()
        from commonplace.server.mcp.sdk_session import SdkSession

        self._sdk = sdk = SdkSession(server, self._writer, self._settle)
        self._tasks.start_soon(sdk.run, self._actor)
        await sdk.replay(self._said)
        self._changes.stop()
        return sdk

    # -- what waits

    def _settle(self, ident: RequestId | None) -> None:
        if ident in self._unanswered:
            self._unanswered.remove(ident)
        self._with_sdk.discard(ident)
        self._answered.set()

    async def _all_answered(self) -> None:
        with anyio.move_on_after(CLOSING_SECONDS):
            while self._unanswered:
                self._answered = anyio.Event()
                await self._answered.wait()


def _parsed(line: bytes | TooLong) -> Json:
    """Read a message; whatever is none comes out empty, for the SDK's side to refuse."""
    if isinstance(line, TooLong):
        return {}
    try:
        value: object = json.loads(line.decode())
    except (ValueError, RecursionError):
        return {}
    return cast("Json", value) if isinstance(value, dict) else {}


def _is_notification(message: Json) -> bool:
    well_formed = message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str)
    return well_formed and "id" not in message and isinstance(message.get("params", {}), dict)


def _coerced(ident: RequestId) -> RequestId:
    """Take "7" for 7, as the SDK does where a client cancels."""
    try:
        return int(ident)
    except ValueError:
        return ident
