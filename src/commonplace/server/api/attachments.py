"""The files of a vault over HTTP: shown, saved, moved.

Nothing that is sent here can run as a page of ours. The content type comes from a fixed list, never
from the file; what is not on it is sent to be saved; whatever a browser opens by itself is in a
sandbox without scripts; and no other site can put it into a page of its own.
"""

from collections.abc import AsyncGenerator
from datetime import datetime
from urllib.parse import quote

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from commonplace.core.attachments import byte_ranges, media
from commonplace.core.attachments.media import SAVED_BYTES_MAX
from commonplace.errors import BadArgument, NotFound, Unavailable
from commonplace.server.access.identity import person, who
from commonplace.server.api.answers import answering, guarded
from commonplace.server.api.browse import asked
from commonplace.server.body import body_of, bytes_of
from commonplace.vault.attachments.attachments import Attachments
from commonplace.vault.attachments.files import File
from commonplace.vault.attachments.open import OpenFile
from commonplace.vault.vault import Vault

UPLOAD_PATH = "/api/attachments"
_CHUNK = 256 * 1024
_UPLOADS_MAX = 4
_SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox"
# A browser's own reader of PDF does not start in a sandbox; it runs nothing of ours either.
_READER = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'"


def routes(vault: Vault, *, read_only: bool) -> list[Route]:
    """Make the routes over one vault."""
    serving = _AttachmentsApi(vault)
    reading = [
        Route("/api/file", answering(serving.file)),
        Route(UPLOAD_PATH, answering(serving.list)),
    ]
    writing = [
        Route(UPLOAD_PATH, guarded(serving.save), methods=["POST"]),
        Route(f"{UPLOAD_PATH}/rename", guarded(serving.rename), methods=["POST"]),
    ]
    return reading if read_only else [*writing, *reading]


class _AttachmentsApi:
    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._uploads = anyio.Semaphore(_UPLOADS_MAX)

    async def file(self, request: Request) -> Response:
        """Send a file, by its path or as a link in a note calls it."""
        file = await self._asked(request)
        return _FileResponse(
            self._vault.attachments, file, download="download" in request.query_params
        )

    async def list(self, request: Request) -> Response:
        """List the attachments that a note links to, or all of them."""
        attachments = self._vault.attachments
        if note := request.query_params.get("note"):
            found = await attachments.of_note(self._vault.texts.find(note))
            return JSONResponse({"files": [{"link": a.link, "path": a.path} for a in found]})
        files = (await attachments.files.recent()).by_path.values()
        rows = [{"path": f.path, "size": f.stamp.size} for f in files]
        return JSONResponse({"files": sorted(rows, key=lambda row: str(row["path"]))})

    async def save(self, request: Request) -> Response:
        """Save the file that is the body of the request, for a note."""
        note = self._vault.texts.find(asked(request, "note"))
        name = request.query_params.get("name", "")
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        async with self._uploads:
            data = await bytes_of(request, SAVED_BYTES_MAX)
            # as Obsidian names what is pasted: by the clock of the machine
            now = datetime.now().astimezone()
            saved = await self._vault.attachments.save(note, name, kind, data, now)
        by = who(request.scope, {"who": request.query_params.get("who", "")})
        audit = self._vault.permissions.audit
        await audit.write(by, "create", saved.path, answer="allow", by=by, outcome="done")
        return JSONResponse({"path": saved.path, "link": saved.link})

    async def rename(self, request: Request) -> Response:
        """Give a file another path, and its links with it."""
        body = await body_of(request)
        path, to = str(body.get("path") or ""), str(body.get("to") or "")
        if not path or not to:
            raise BadArgument("path and to are needed: which file, and its new path.")
        actor = person(request.scope, body)
        done = await self._vault.attachments.move(path, to, actor)
        return JSONResponse(
            {"path": done.path, "links": done.links, "ambiguous": done.left, "undo": done.undo}
        )

    async def _asked(self, request: Request) -> File:
        attachments = self._vault.attachments
        if link := request.query_params.get("link"):
            return await attachments.resolve(link, request.query_params.get("from", ""))
        file = await attachments.find(asked(request, "path"))
        if file is None:
            raise NotFound(f"There is no file {asked(request, 'path')} in this vault.")
        return file


class _FileResponse(Response):
    """Sends a file, or the part of it that was asked for."""

    def __init__(self, attachments: Attachments, file: File, *, download: bool) -> None:
        super().__init__()
        self._attachments, self._file, self._download = attachments, file, download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        try:
            async with self._attachments.open(self._file) as held:
                await self._send(held, request, send)
        except NotFound as error:
            body = {"error": {"code": "NOT_FOUND", "message": str(error)}}
            await JSONResponse(body, 404)(scope, receive, send)

    async def _send(self, held: OpenFile, request: Request, send: Send) -> None:
        etag = f'"{await self._attachments.hash(held)}"'
        headers = {**_headers(held.path, download=self._download), "etag": etag}
        status, start, end = 200, 0, held.size
        if etag in [each.strip() for each in request.headers.get("if-none-match", "").split(",")]:
            status, end = 304, 0
        elif request.headers.get("if-range", etag) == etag:
            wanted = byte_ranges.parse(request.headers.get("range", ""), held.size)
            if wanted is byte_ranges.BEYOND:
                status, end = 416, 0
                headers["content-range"] = f"bytes */{held.size}"
            elif isinstance(wanted, tuple):
                status, (start, end) = 206, wanted
                headers["content-range"] = f"bytes {start}-{end - 1}/{held.size}"
        if status != 304:
            headers["content-length"] = str(end - start)
        raw = [(key.encode(), value.encode("latin-1")) for key, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        if request.method != "HEAD":
            async for part in _parts(held, start, end):
                await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def _parts(held: OpenFile, start: int, end: int) -> AsyncGenerator[bytes]:
    while start < end:
        part = await anyio.to_thread.run_sync(held.read, start, min(_CHUNK, end - start))
        if not part:  # it became shorter: break off, so that nobody takes this for the whole
            raise Unavailable(f"{held.path} changed while it was sent.")
        start += len(part)
        yield part


def _headers(path: str, *, download: bool) -> dict[str, str]:
    kind = media.of(path)
    shown = "attachment" if download or kind.kind == "other" else "inline"
    charset = "; charset=utf-8" if kind.type.startswith("text/") else ""
    return {
        "content-type": kind.type + charset,
        "content-disposition": f"{shown}; filename*=UTF-8''{quote(path.rpartition('/')[2])}",
        "content-security-policy": _READER if kind.kind == "pdf" else _SANDBOX,
        "cross-origin-resource-policy": "same-origin",
        "accept-ranges": "bytes",
        "cache-control": "private, no-cache",
    }
