"""JSON for the page: the tree, documents, links, tags, and a stream of what changes."""

import json
from collections.abc import AsyncGenerator
from dataclasses import asdict

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from commonplace.core import frontmatter
from commonplace.errors import BadArgument
from commonplace.server.api.answers import answering
from commonplace.server.api.assistants import Visit, Visits
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.vault import Vault

_COMPLETIONS_MAX = 50
_LINKS_MAX = 5_000
_GATHER_SECONDS = 0.1
_BEAT_SECONDS = 20.0


def routes(vault: Vault, visits: Visits) -> list[Route]:
    """Make the routes over one vault."""
    browsing = _Browsing(vault, visits)
    return [
        Route(f"/api/{endpoint.__name__}", answering(endpoint))
        for endpoint in (
            browsing.tree,
            browsing.document,
            browsing.note,
            browsing.links,
            browsing.tags,
            browsing.tagged,
            browsing.complete,
            browsing.templates,
            browsing.folders,
            browsing.events,
        )
    ]


class _Browsing:
    def __init__(self, vault: Vault, visits: Visits) -> None:
        self._vault, self._visits = vault, visits

    async def tree(self, request: Request) -> Response:
        """List every note."""
        rows = await self._vault.listing.tree()
        version = f'"{hash(tuple(rows)) & 0xFFFFFFFFFFFF:x}"'
        if request.headers.get("if-none-match") == version:
            return Response(status_code=304)
        return JSONResponse({"version": version, "notes": rows}, headers={"etag": version})

    async def document(self, request: Request) -> Response:
        """Tell the id under which a note is live; one that has it already may ask by that."""
        path = self._vault.texts.find(await self._named(request))
        title = await self._vault.listing.title(path)
        known = await self._vault.notes.ids.identify(path)
        return JSONResponse(
            {"id": known.id, "path": path, "title": title or path, "epoch": known.epoch}
        )

    async def _named(self, request: Request) -> str:
        if id := request.query_params.get("id"):
            return await self._vault.notes.note_of(id)
        return asked(request, "path")

    async def note(self, request: Request) -> Response:
        """Show a note as it stands."""
        path = self._vault.texts.find(asked(request, "path"))
        text = await self._vault.texts.marked(path)
        title = await self._vault.listing.title(path)
        properties = frontmatter.read(text).properties
        return JSONResponse({"path": path, "title": title, "text": text, "properties": properties})

    async def links(self, request: Request) -> Response:
        """List the links of a note, both ways."""
        path = self._vault.texts.find(asked(request, "path"))
        found = await self._vault.listing.links(path)
        forward = found.forward[:_LINKS_MAX]
        titles = await self._vault.listing.titles(forward)
        return JSONResponse(
            {
                "backlinks": [asdict(each) for each in await self._vault.listing.backlinks(path)],
                "forward": [{"path": p, "title": titles.get(p, p)} for p in forward],
                "unresolved": found.unresolved[:_LINKS_MAX],
                "hidden": found.hidden,
            }
        )

    async def tags(self, _: Request) -> Response:
        """List all tags."""
        return JSONResponse({"tags": await self._vault.listing.tags()})

    async def tagged(self, request: Request) -> Response:
        """List the notes that carry a tag."""
        found = await self._vault.listing.tagged(asked(request, "tag"))
        return JSONResponse({"notes": [{"path": p, "title": t} for p, t in found]})

    async def complete(self, request: Request) -> Response:
        """List what a half-typed name may mean."""
        found = await self._vault.listing.complete(
            request.query_params.get("q", ""), _COMPLETIONS_MAX
        )
        return JSONResponse({"paths": found})

    async def templates(self, _: Request) -> Response:
        """List the notes that others can start from."""
        entries = await self._vault.listing.newest()
        found = sorted(e.path for e in entries if "Templates" in e.path.split("/")[:-1])
        return JSONResponse({"templates": found})

    async def folders(self, _: Request) -> Response:
        """Tell the id under which each root's list of notes is live."""
        names = [root.name for root in self._vault.settings.roots]
        ids = [{"name": name, "id": await self._vault.folders.id_of(name)} for name in names]
        return JSONResponse({"folders": ids})

    async def events(self, _: Request) -> Response:
        """Tell what changes, for as long as somebody listens."""
        return StreamingResponse(
            _Events(self._vault, self._visits).told(),
            media_type="text/event-stream",
            headers={"cache-control": "no-store"},
        )


def asked(request: Request, name: str) -> str:
    """Return a query parameter that has to be there."""
    value = request.query_params.get(name, "")
    if not value:
        raise BadArgument(f"{name} is missing.")
    return value


class _Events:
    """What changed and was not told yet: gathered for a moment, then told at once."""

    def __init__(self, vault: Vault, visits: Visits) -> None:
        self._vault, self._visits = vault, visits
        self._changes: dict[str, str] = {}
        self._moves: list[tuple[str, str]] = []
        self._parked: int | None = None
        self._visited = False
        self._arranged = False
        self._credited: set[str] = set()
        self._something = anyio.Event()

    async def told(self) -> AsyncGenerator[bytes]:
        """Tell what changes; a beat now and then shows that we live."""
        stops = (
            self._vault.contents.follow(self._note),
            self._vault.permissions.follow(self._count),
            self._vault.sets.kept.follow(self._arrange),
            self._vault.ledger.follow(self._credit),
            self._visits.follow(self._visit),
        )
        try:
            yield b": here\n\n"
            while True:
                with anyio.move_on_after(_BEAT_SECONDS):
                    await self._something.wait()
                    await anyio.sleep(_GATHER_SECONDS)
                yield self._taken() or b": beat\n\n"
        finally:
            for stop in stops:
                stop()

    def _note(self, change: NoteChange) -> None:
        self._changes[change.path] = change.kind
        if change.was is not None:
            self._moves.append((change.was, change.path))
        self._something.set()

    def _count(self, parked: int) -> None:
        self._parked = parked
        self._something.set()

    def _credit(self, document: str) -> None:
        path = self._vault.notes.ids.known_path(document)
        if path is not None and self._vault.notes.view.shows(path):
            self._credited.add(path)
            self._something.set()

    def _arrange(self, _: int) -> None:
        self._arranged = True
        self._something.set()

    def _visit(self, _: Visit) -> None:
        self._visited = True
        self._something.set()

    def _taken(self) -> bytes:
        self._something = anyio.Event()
        changes, self._changes = self._changes, {}
        moves, self._moves = self._moves, []
        parked, self._parked = self._parked, None
        visited, self._visited = self._visited, False
        arranged, self._arranged = self._arranged, False
        credited, self._credited = self._credited, set()
        told = [_event("approvals", {"count": parked})] if parked is not None else []
        if changes:
            told += [_event("notes", {**_by_kind(changes), "moved": moves})]
        if changes or credited:
            told += [_event("suggestions", {"paths": [*changes, *(credited - changes.keys())]})]
        if arranged:
            told += [_event("sets", {})]
        if visited:
            told += [_event("assistants", {})]
        return b"".join(told)


def _by_kind(changes: dict[str, str]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {"appeared": [], "changed": [], "gone": []}
    for path, kind in changes.items():
        kinds[kind].append(path)
    return kinds


def _event(name: str, data: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
