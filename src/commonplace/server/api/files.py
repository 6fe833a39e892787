"""The files of a vault for copies on other machines: what changed, bytes, what was saved there.

The body of a save is the text that it was made from, if it is a note's, and behind it what was
saved: `base_size` says where one ends and the other begins.
"""

from collections.abc import AsyncGenerator

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from commonplace.core import paths
from commonplace.core.attachments.media import SAVED_BYTES_MAX
from commonplace.core.scopes import Scope
from commonplace.errors import BadArgument, NotFound, Unavailable
from commonplace.server.access.identity import may, who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.api.browse import asked
from commonplace.server.body import Body, body_of, bytes_of, whole_number
from commonplace.vault.attachments.open import OpenFile, open_file
from commonplace.vault.shared_files.changes import CopyAuthor, CopySave, SharedChanges
from commonplace.vault.shared_files.file_list import (
    FILE_BYTES_MAX,
    LIST_WAIT_SECONDS_MAX,
    find_file,
)
from commonplace.vault.vault import Vault

_NAME_CHARS_MAX = 64
_CHUNK = 256 * 1024
_SAVES_MAX = 4


def routes(vault: Vault, changes: SharedChanges, *, read_only: bool) -> list[Route]:
    """Make the routes over one vault; whoever takes changes is the same for all who serve it."""
    files = _Files(vault, changes, read_only=read_only)
    reading = [
        Route("/api/files", answering(files.list)),
        Route("/api/files/content", answering(files.content)),
    ]
    writing = [
        Route("/api/files/save", guarded(files.save), methods=["POST"]),
        Route("/api/files/delete", guarded(files.delete), methods=["POST"]),
        Route("/api/files/rename", guarded(files.rename), methods=["POST"]),
    ]
    return reading if read_only else [*reading, *writing]


class _Files:
    def __init__(self, vault: Vault, changes: SharedChanges, *, read_only: bool) -> None:
        self._vault, self._changes, self._read_only = vault, changes, read_only
        self._saves = anyio.Semaphore(_SAVES_MAX)

    async def list(self, request: Request) -> Response:
        """Tell which files changed since a cursor, if need be once some have."""
        wait = whole_number(
            request.query_params.get("wait", "0"), "wait", most=int(LIST_WAIT_SECONDS_MAX)
        )
        found = await self._changes.files.since(request.query_params.get("since", ""), wait)
        rows = [
            {"path": path, "sha": file.sha, "size": file.stamp.size}
            for path, file in found.files.items()
        ]
        return JSONResponse(
            {
                "cursor": found.cursor,
                "whole": found.whole,
                "files": rows,
                "gone": found.gone,
                "may": self._may(request),
            }
        )

    async def content(self, request: Request) -> Response:
        """Send what a file holds."""
        path = paths.note_path(asked(request, "path"))
        file = await find_file(self._vault, path)
        if file is None:
            raise NotFound(f"There is no file {path} in this vault.")
        if file.stamp.size > FILE_BYTES_MAX:
            raise BadArgument(f"{path} has over {FILE_BYTES_MAX // 1_000_000} MB: it is not sent.")
        roots = self._vault.roots
        held = await anyio.to_thread.run_sync(open_file, roots, path, file.on_disk)
        headers = {"content-length": str(held.size), "cache-control": "no-store"}
        if request.method == "HEAD":
            held.close()
            return Response(headers=headers)
        kind = "application/octet-stream"
        return StreamingResponse(_parts(held), headers=headers, media_type=kind)

    async def save(self, request: Request) -> Response:
        """Take what was saved in a copy."""
        given = request.query_params
        by = self._saver(request, given)
        name = given.get("name", "")
        if len(name) > _NAME_CHARS_MAX:
            raise BadArgument(f"name can have at most {_NAME_CHARS_MAX} characters.")
        async with self._saves:
            body = await bytes_of(request, SAVED_BYTES_MAX)
            base, data = None, body
            if "base_size" in given:
                size = whole_number(given["base_size"], "base_size", most=len(body))
                base, data = body[:size], body[size:]
            save = CopySave(asked(request, "path"), data, given.get("was", ""), base, name)
            saved = await self._changes.save(save, by)
        return JSONResponse({"outcome": saved.outcome, "sha": saved.sha})

    async def delete(self, request: Request) -> Response:
        """Move a file to the trash, as it was deleted in a copy."""
        body = await body_of(request)
        await self._changes.delete(
            _text(body, "path"), _text(body, "was"), self._saver(request, body)
        )
        return JSONResponse({})

    async def rename(self, request: Request) -> Response:
        """Give a file another name, as it got one in a copy."""
        body = await body_of(request)
        path, to, was = (_text(body, name) for name in ("path", "to", "was"))
        await self._changes.rename(path, to, was, self._saver(request, body))
        return JSONResponse({})

    def _saver(self, request: Request, body: Body) -> CopyAuthor:
        return CopyAuthor(who(request.scope, body), suggests=not may(request.scope, "write"))

    def _may(self, request: Request) -> Scope:
        if self._read_only or not may(request.scope, "suggest"):
            return "read"
        return "write" if may(request.scope, "write") else "suggest"


async def _parts(held: OpenFile) -> AsyncGenerator[bytes]:
    start = 0
    try:
        while start < held.size:
            part = await anyio.to_thread.run_sync(held.read, start, min(_CHUNK, held.size - start))
            if not part:  # it became shorter: break off, so that nobody takes this for the whole
                raise Unavailable(f"{held.path} changed while it was sent.")
            start += len(part)
            yield part
    finally:
        held.close()


def _text(body: Body, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise BadArgument(f"{name} is missing.")
    return value
