"""From the vault to the documents of its roots: what each must show, written in one transaction.

A key that a client has touched and that the vault has not followed yet is left alone: what the
client wants there is found out first.
"""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, cast

import anyio.to_thread

from commonplace.vault.documents.changes import Taken
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.engine.maps import Maps, Put
from commonplace.vault.documents.folder_document import (
    ACTOR,
    BACKLINKS,
    CONFIG,
    DOCS,
    FILES,
    MAPS,
    FolderDocument,
    Touches,
)
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.roots import Roots
from commonplace.vault.folders.links import LinkedIds, slices
from commonplace.vault.folders.listing import RootListing, ValueOf, with_above
from commonplace.vault.index.catalog import Catalog
from commonplace.vault.log.log import Author, Log, LogEntry

if TYPE_CHECKING:
    from commonplace.core.graph import Graph

DONE = "folder-done"

MapKey = tuple[str, str]
"""A map's name and a key."""


class Publisher:
    """The listings of the roots that are open, and their documents."""

    def __init__(self, roots: Roots, log: Log, notes: LiveNotes, touches: Touches) -> None:
        self._roots = roots
        self._log = log
        self._notes = notes
        self._touches = touches
        self._links = LinkedIds(notes.ids)
        self.catalog = Catalog()
        self.listings: dict[str, RootListing] = {}

    async def renew(self, graph: "Graph", catalog: Catalog) -> set[str]:
        """Take the index as it is now; returns whose backlinks differ if it is another one."""
        other = catalog is not self.catalog
        self.catalog = catalog
        self._links.renew(graph, catalog)
        return await self._links.read_all() if other else set()

    def moved(self, catalog: Catalog) -> set[str]:
        """Name the notes that came or went with another catalog."""
        found: set[str] = set()
        for listing in self.listings.values():
            shown = {self._roots.joined(listing.root, inside) for inside in listing.notes}
            found |= shown.symmetric_difference(
                catalog.beneath(self._roots.joined(listing.root, ""))
            )
        return found

    def is_there(self, path: str) -> bool:
        """Tell whether there is a note; one that the index has not met yet counts."""
        return path in self.catalog or self._roots.listed(path) is not None

    async def follow(self, heard: Collection[str], linked: Iterable[str]) -> None:
        """Show what became of these notes; `linked` are others whose backlinks changed."""
        keys: defaultdict[str, set[MapKey]] = defaultdict(set)
        changed: dict[str, Collection[str]] = {}
        gone: dict[str, Collection[str]] = {}
        for listing in self.listings.values():
            async with self._notes.documents.hold(listing.id) as document:
                folder = cast("FolderDocument", document)
                for path in heard:
                    root, inside = self._roots.split(path)
                    if root == listing.root:
                        keys[listing.id].add((FILES, f"/{inside}"))
                        now = self._relist(listing, path, inside)
                        changed |= {now: _texts(folder.value(BACKLINKS, now))} if now else {}
                gone |= {id: _texts(folder.value(BACKLINKS, id)) for id in listing.gone}
        gone = {id: before for id, before in gone.items() if id not in changed}
        affected = self._links.affected(changed, gone).union(linked)
        for listing in self.listings.values():
            await self.show(listing, keys[listing.id] | {(BACKLINKS, id) for id in affected})
            listing.gone -= gone.keys()

    def _relist(self, listing: RootListing, path: str, inside: str) -> str | None:
        """Take one note's coming, change or going in; returns its id if it is there."""
        listing.drop(inside)
        now = self._notes.ids.known_id(path) if self.is_there(path) else None
        if now is not None:
            listing.put(inside, now)
        return now

    async def show(self, listing: RootListing, places: Collection[MapKey]) -> None:
        """Make a document show the vault as it is, at these places."""

        def work(document: Document) -> Taken:
            folder = cast("FolderDocument", document)
            busy = self._touches.of(listing.id)
            files = with_above(key for name, key in places if name in (FILES, DOCS))
            others = [place for place in places if place[0] not in (FILES, DOCS)]
            still = [(FILES, key) for key in files if (FILES, key) not in busy]
            puts = self._puts(listing, [*still, *others], folder.value)
            return folder.put([put for put in puts if put[:2] not in busy])

        await self._notes.documents.transact(listing.id, work, ACTOR, origin=self)
        await self._record(listing.id)

    async def show_all(self, listing: RootListing) -> None:
        """Make a document show the vault as it is, everywhere."""
        async with self._notes.documents.hold(listing.id) as document:
            folder = cast("FolderDocument", document)
            there = [(name, key) for name in MAPS for key in folder.keys(name) if name != DOCS]
            there += [(FILES, key) for key in folder.keys(DOCS)]
            wrong: set[MapKey] = set()
            async for some in slices([*dict.fromkeys([*self._all(listing), *there])]):
                wrong.update(put[:2] for put in self._puts(listing, some, folder.value))
        await self.show(listing, wrong)

    async def build(self, listing: RootListing) -> None:
        """Begin a document in one transaction, in a thread: a large root takes seconds."""
        values: dict[MapKey, object] = {}
        async for some in slices(self._all(listing)):
            for name, key, value in self._puts(listing, some, lambda _name, _key: None):
                values.setdefault((name, key), value)
        client = secrets.randbits(53)
        update = await anyio.to_thread.run_sync(_built, values, client)
        author = Author(client, ACTOR, ours=True)
        seq = await self._log.append(LogEntry(listing.id, update, ACTOR, (author,)))
        await self._log.compact(listing.id, seq, update)
        await self._log.put_record(DONE, listing.id, str(seq))

    def _all(self, listing: RootListing) -> list[MapKey]:
        linked = [(BACKLINKS, id) for id in listing.notes.values()]
        return [(CONFIG, "name"), *((FILES, key) for key in listing.every_key()), *linked]

    def _puts(self, listing: RootListing, places: Collection[MapKey], value: ValueOf) -> list[Put]:
        puts = listing.corrections((key for name, key in places if name == FILES), value)
        puts += listing.configured((key for name, key in places if name == CONFIG), value)
        for id in (key for name, key in places if name == BACKLINKS):
            wanted = self._sources(listing, id) or None
            if value(BACKLINKS, id) != wanted:
                puts.append((BACKLINKS, id, wanted))
        return puts

    def _sources(self, listing: RootListing, id: str) -> list[str]:
        path = self._notes.ids.known_path(id)
        root, inside = self._roots.split(path) if path is not None else ("", "")
        here = root == listing.root and listing.notes.get(inside) == id
        return self._links.sources(id) if here else []

    async def _record(self, id: str) -> None:
        """Keep on record that the vault has followed all that the document holds now."""
        if not self._touches.of(id):
            seq = await self._notes.documents.saved(id)
            await self._log.put_record(DONE, id, str(seq))


def _built(values: Mapping[MapKey, object], client: int) -> bytes:
    return Maps(MAPS, client).put([(*place, value) for place, value in values.items()])


def _texts(value: object) -> list[str]:
    """Read a list that a client may have written."""
    if not isinstance(value, list):
        return []
    return [each for each in cast("list[object]", value) if isinstance(each, str)]
