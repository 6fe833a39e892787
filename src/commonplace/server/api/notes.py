"""JSON for what people do to notes: create, rename, delete, restore.

Only people come here, so nobody is asked; all of it is on record.
"""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from commonplace.errors import BadArgument
from commonplace.server.access.identity import person, who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.body import Body, body_of
from commonplace.vault.vault import Vault


def routes(vault: Vault) -> list[Route]:
    """Make the routes over one vault."""
    notes = _NotesApi(vault)
    post = ["POST"]
    return [
        Route("/api/notes", guarded(notes.create), methods=post),
        Route("/api/notes/rename", guarded(notes.rename), methods=post),
        Route("/api/notes/rename/undo", guarded(notes.undo), methods=post),
        Route("/api/notes/delete", guarded(notes.delete), methods=post),
        Route("/api/notes/restore", guarded(notes.restore), methods=post),
        Route("/api/trash", answering(notes.trash)),
    ]


class _NotesApi:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    async def create(self, request: Request) -> Response:
        """Create a note."""
        body = await body_of(request)
        content = body.get("content", "")
        if not isinstance(content, str):
            raise BadArgument("content must be text.")
        path = await self._vault.write.create(
            _text(body, "path"), content, person(request.scope, body)
        )
        await self._record(who(request.scope, body), "create", path)
        return JSONResponse({"path": path})

    async def delete(self, request: Request) -> Response:
        """Move a note to the trash."""
        body = await body_of(request)
        path = self._vault.texts.find(_text(body, "path"))
        trash = await self._vault.write.delete(path, who(request.scope, body))
        await self._record(who(request.scope, body), "delete", path)
        return JSONResponse({"trash": trash})

    async def restore(self, request: Request) -> Response:
        """Take a note back out of the trash."""
        body = await body_of(request)
        path = await self._vault.trash.restore(_text(body, "trash"), person(request.scope, body))
        await self._record(who(request.scope, body), "create", path)
        return JSONResponse({"path": path})

    async def trash(self, _: Request) -> Response:
        """List what is in the trash."""
        found = await self._vault.trash.listed()
        rows = [
            {"trash": one.trash, "path": one.path, "time": one.time, "who": one.who}
            for one in found
        ]
        return JSONResponse({"trash": rows})

    async def rename(self, request: Request) -> Response:
        """Rename a note; every link to it follows."""
        body = await body_of(request)
        path, to = str(body.get("path") or ""), str(body.get("to") or "")
        if not path or not to:
            raise BadArgument("path and to are needed: which note, and its new path.")
        done = await self._vault.renames.rename(path, to, person(request.scope, body))
        return JSONResponse(
            {"path": done.path, "links": done.links, "ambiguous": done.left, "undo": done.undo}
        )

    async def undo(self, request: Request) -> Response:
        """Take a rename back."""
        body = await body_of(request)
        token, by = str(body.get("undo") or ""), person(request.scope, body)
        undone = await self._vault.renames.undo(token, by)
        return JSONResponse({"path": undone.path})

    async def _record(self, by: str, operation: str, path: str) -> None:
        audit = self._vault.permissions.audit
        await audit.write(by, operation, path, answer="allow", by=by, outcome="done")


def _text(body: Body, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise BadArgument(f"{name} is missing.")
    return value
