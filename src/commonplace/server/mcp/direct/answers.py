"""Answers to requests that need nothing of the SDK, as lines of JSON.

The tools are those that the SDK's server calls, through the same door; only the words around an
answer are written here, and a test compares them with the SDK's.
"""

from base64 import b64encode
from collections.abc import Mapping
from functools import cached_property

from commonplace.core.scopes import Scope
from commonplace.server.mcp.direct.failures import INVALID_PARAMS, failure_of
from commonplace.server.mcp.direct.introduction import Introduction, Json, response, written
from commonplace.server.mcp.direct.requests import Request
from commonplace.server.mcp.tool_calls import ToolCalls
from commonplace.tools.answer import Answer
from commonplace.tools.table import Actor, Call, Progress, UnknownTool, no_progress


def failure(id: str | int, code: int, text: str) -> bytes:
    """Write that a request failed."""
    error = written({"code": code, "message": text})
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (written(id), error)


def call_result(answer: Answer) -> Json:
    """Return a tool's answer as the protocol has it."""
    texts: list[Json] = [{"type": "text", "text": text} for text in answer.blocks]
    pictures: list[Json] = [
        {"type": "image", "data": b64encode(each.data).decode(), "mimeType": each.type}
        for each in answer.pictures
    ]
    result: Json = {"content": [*texts, *pictures], "isError": answer.is_error}
    return {**result, "_meta": dict(answer.meta)} if answer.meta else result


class DirectAnswers:
    """The answers of one set of tools."""

    def __init__(self, calls: ToolCalls, version: str) -> None:
        self._calls = calls
        self._introduction = Introduction(calls.names, version)
        self._listings: dict[tuple[bool, Scope], bytes] = {}

    @cached_property
    def tools(self) -> frozenset[str]:
        """The tools whose calls are answered here: those that only read."""
        return self._calls.reading

    def introduce(self, request: Request) -> bytes:
        """Answer a request that needs no tools."""
        return self._introduction.answer(request)

    async def answer(
        self, request: Request, actor: Actor, progress: Progress = no_progress
    ) -> tuple[int, bytes]:
        """Answer whatever happens on the way: the code of the failure, 0 for none, and the line."""
        try:
            if request.method == "tools/list":
                result = await self._listing(request.opening.modern, actor.scope)
            else:
                result = await self._called(request, Call(actor, progress))
        except UnknownTool as error:
            return INVALID_PARAMS, failure(request.id, INVALID_PARAMS, str(error))
        except Exception as error:  # noqa: BLE001 (each becomes what a client may see of it)
            code, text = failure_of(error, request.method)
            return code, failure(request.id, code, text)
        return 0, response(request.id, result)

    async def _listing(self, modern: bool, scope: Scope) -> bytes:
        if (modern, scope) not in self._listings:
            definitions = await self._calls.definitions(scope)
            listing = self._introduction.listing(definitions, modern=modern)
            self._listings[modern, scope] = written(listing)
        return self._listings[modern, scope]

    async def _called(self, request: Request, call: Call) -> bytes:
        answer = await self._calls.call(request.tool, request.arguments, call)
        result = call_result(answer)
        if request.opening.modern:
            meta = {**(answer.meta or {}), **self._introduction.stamp}
            result = {**result, "resultType": "complete", "_meta": meta}
        return written(result)


def progress_notice(
    token: str | int, progress: float, total: float | None, message: str | None
) -> bytes:
    """Write how far a call has come."""
    known: Mapping[str, object] = {"progressToken": token, "progress": progress}
    more = {"total": total, "message": message}
    params = {**known, **{name: value for name, value in more.items() if value is not None}}
    return written({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
