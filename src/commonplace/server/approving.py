"""JSON for what people do to notes: answer what assistants want, create, delete, restore.

Only people come here, so nobody is asked; all of it is on record.
"""

from typing import cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.api import answering, guarded
from commonplace.server.holders import who
from commonplace.server.reviewing import Body, body_of
from commonplace.vault.approvals import Parked
from commonplace.vault.vault import Vault
from commonplace.vault.wishes import Choice


def routes(vault: Vault) -> list[Route]:
    """Make the routes over one vault."""
    approving = _Approving(vault)
    post = ["POST"]
    return [
        Route("/api/approvals", answering(approving.list)),
        Route("/api/approvals/{id}", guarded(approving.decide), methods=post),
        Route("/api/remembered", answering(approving.remembered)),
        Route("/api/remembered/forget", guarded(approving.forget), methods=post),
        Route("/api/notes", guarded(approving.create), methods=post),
        Route("/api/notes/delete", guarded(approving.delete), methods=post),
        Route("/api/notes/restore", guarded(approving.restore), methods=post),
        Route("/api/trash", answering(approving.trash)),
    ]


class _Approving:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def list(self, _: Request) -> Response:
        """List what waits for an answer."""
        waiting = await self._vault.permissions.waiting()
        return JSONResponse({"approvals": [row(one) for one in waiting]})

    async def decide(self, request: Request) -> Response:
        """Approve, which has it done, or deny."""
        body = await body_of(request)
        id, by = _number(request.path_params["id"]), who(request.scope, body)
        permissions = self._vault.permissions
        match body.get("decision"):
            case "approve":
                result = await permissions.approve(id, by, _scope(body))
                return JSONResponse({"state": "approved", "result": result})
            case "deny":
                await permissions.deny(id, by)
                return JSONResponse({"state": "denied"})
            case _:
                raise BadArgument('decision must be "approve" or "deny".')

    async def remembered(self, _: Request) -> Response:
        """List what is always allowed."""
        found = await self._vault.permissions.remembered()
        return JSONResponse(
            {"remembered": [{"operation": operation, "who": who} for operation, who in found]}
        )

    async def forget(self, _: Request) -> Response:
        """Ask again about everything."""
        await self._vault.permissions.forget_remembered()
        return JSONResponse({"remembered": []})

    async def create(self, request: Request) -> Response:
        """Create a note."""
        body = await body_of(request)
        content = body.get("content", "")
        if not isinstance(content, str):
            raise BadArgument("content must be text.")
        path = await self._vault.changing.create(_text(body, "path"), content)
        await self._record(who(request.scope, body), "create", path)
        return JSONResponse({"path": path})

    async def delete(self, request: Request) -> Response:
        """Move a note to the trash."""
        body = await body_of(request)
        path = self._vault.find(_text(body, "path"))
        trash = await self._vault.changing.delete(path, who(request.scope, body))
        await self._record(who(request.scope, body), "delete", path)
        return JSONResponse({"trash": trash})

    async def restore(self, request: Request) -> Response:
        """Take a note back out of the trash."""
        body = await body_of(request)
        path = await self._vault.changing.restore(_text(body, "trash"))
        await self._record(who(request.scope, body), "create", path)
        return JSONResponse({"path": path})

    async def trash(self, _: Request) -> Response:
        """List what is in the trash."""
        found = await self._vault.changing.trash.listed()
        rows = [
            {"trash": one.trash, "path": one.path, "time": one.time, "who": one.who}
            for one in found
        ]
        return JSONResponse({"trash": rows})

    async def _record(self, by: str, operation: str, path: str) -> None:
        audit = self._vault.permissions.audit
        await audit.write(by, operation, path, answer="allow", by=by, outcome="done")


def row(one: Parked) -> dict[str, object]:
    """Put a parked write as the page and the command line show it; the time in milliseconds."""
    return {
        "id": str(one.id),
        "operation": one.operation,
        "path": one.path,
        "who": one.who,
        "time": int(one.time * 1000),
        "summary": one.summary,
        "diff": one.diff,
    }


def _number(given: str) -> int:
    if not given.isascii() or not given.isdigit() or len(given) > 15:
        raise BadArgument(f"{given[:20]!r} is no number of a write that waits.")
    return int(given)


def _scope(body: Body) -> Choice:
    scope = body.get("scope", "once")
    if scope not in ("once", "session", "always"):
        raise BadArgument('scope must be "once", "session" or "always".')
    return cast("Choice", scope)


def _text(body: Body, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise BadArgument(f"{name} is missing.")
    return value
