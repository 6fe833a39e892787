"""What an agent says and asks: its updates become events, its requests are answered by the host.

Requests are validated here, by the package's own models, before anything is done with them: the
package's router lets `_meta` overwrite what it has validated, and logs what it does not know.
Unknown messages are ignored, as the protocol wants.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from acp import schema
from pydantic import ValidationError

from commonplace.agent.events import Choice, Event, Question
from commonplace.agent.messages import Json, MessageLines
from commonplace.agent.updates import event_of, question_of
from commonplace.errors import CommonplaceError

REQUESTS_MAX = 32
_NOT_KNOWN, _BUSY, _WRONG, _FAILED = -32601, -32000, -32602, -32603


class Host(Protocol):
    """Whoever holds the conversation."""

    async def hear(self, event: Event) -> None:
        """Take what the agent says, in order."""
        ...

    def trouble(self, path: str, text: str) -> None:
        """Take note that something could not be taken."""
        ...

    async def permit(self, question: Question) -> Choice:
        """Answer whether the agent may."""
        ...

    async def read_file(self, path: str, line: int | None, limit: int | None) -> str:
        """Return a file of the working copy."""
        ...

    async def write_file(self, path: str, text: str) -> None:
        """Write a file of the working copy."""
        ...


class AgentRequests:
    """Serves one agent; `session` is the one that it may speak of, answers go to `lines`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._tasks: set[asyncio.Task[None]] = set()
        self.lines: MessageLines | None = None
        self.session = ""

    def cancel(self) -> None:
        """Answer nothing any more."""
        for task in tuple(self._tasks):
            task.cancel()

    async def take(self, message: Json) -> None:
        """Take a message of the agent: what it says in its order, what it asks as it comes."""
        method, id = message["method"], message.get("id")
        if method == "session/update":
            await self._hear(message.get("params"))
        elif id is not None:
            if len(self._tasks) >= REQUESTS_MAX:
                await self._refuse(id, _BUSY, "Too many requests at once.")
                return
            task = asyncio.create_task(self._serve(id, method, message.get("params")))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _hear(self, params: object) -> None:
        try:
            news = schema.SessionNotification.model_validate(params)
        except (ValidationError, RecursionError):
            return  # of a later version of the protocol, or nonsense
        if news.session_id == self.session and (event := event_of(news.update)) is not None:
            await self._host.hear(event)

    async def _serve(self, id: int | str, method: str, params: object) -> None:
        served = {
            "session/request_permission": self._permit,
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
        }.get(method)
        try:
            if served is None:
                await self._refuse(id, _NOT_KNOWN, "This client does not offer that.")
            else:
                await self._answer(id, await served(params))
        except (ValidationError, UnicodeError, RecursionError):  # half a character is no text
            await self._refuse(id, _WRONG, "The parameters are not those of the protocol.")
        except CommonplaceError as error:
            await self._refuse(id, _FAILED, str(error))
        except OSError:
            return  # it is gone

    async def _permit(self, params: object) -> schema.RequestPermissionResponse:
        asked = schema.RequestPermissionRequest.model_validate(params)
        choice = await self._host.permit(question_of(asked.tool_call))
        option = _option(asked.options, allowed=choice != "no")
        if option is None:
            return schema.RequestPermissionResponse(
                outcome=schema.DeniedOutcome(outcome="cancelled")
            )
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=option)
        )

    async def _read(self, params: object) -> schema.ReadTextFileResponse:
        asked = schema.ReadTextFileRequest.model_validate(params)
        text = await self._host.read_file(asked.path, asked.line, asked.limit)
        return schema.ReadTextFileResponse(content=text)

    async def _write(self, params: object) -> schema.WriteTextFileResponse:
        asked = schema.WriteTextFileRequest.model_validate(params)
        await self._host.write_file(asked.path, asked.content)
        return schema.WriteTextFileResponse()

    async def _answer(self, id: int | str, result: schema.BaseModel) -> None:
        body = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        await self._send({"jsonrpc": "2.0", "id": id, "result": body})

    async def _refuse(self, id: int | str, code: int, text: str) -> None:
        await self._send({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}})

    async def _send(self, message: Json) -> None:
        assert self.lines is not None
        with suppress(OSError, RuntimeError):
            await self.lines.send(message)


def _option(options: Sequence[schema.PermissionOption], *, allowed: bool) -> str | None:
    """Choose how to say it: never for always, which the agent would remember by itself."""
    kind = "allow_once" if allowed else "reject_once"
    return next((one.option_id for one in options if one.kind == kind), None)
