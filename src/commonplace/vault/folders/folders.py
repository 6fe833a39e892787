"""The documents of a vault's roots, kept in step with the vault, both ways.

A root's document is made when somebody first opens it. From then on it follows the index, each
change at the cost of that change; and what clients do to it is done to the vault once they have
been still for a moment, since a rename may come as two changes. Then the document is made to show
the vault as it is: whatever was refused is thereby taken back.

Which updates the vault has followed is on record. What it had not followed when the process ended
is found in the tail of the document's log (or, after a clean end, in a record) and done at the
next opening.
"""

import json
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import anyio

from commonplace.errors import NotFound, Unavailable
from commonplace.vault.documents.changes import Change
from commonplace.vault.documents.folder_document import (
    FILES,
    FOLDER_PREFIX,
    FolderDocument,
    Touched,
    Touches,
    is_folder,
)
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.roots import Roots
from commonplace.vault.folders.apply import Doors, Wishes
from commonplace.vault.folders.links import slices
from commonplace.vault.folders.listing import RootListing
from commonplace.vault.folders.plan import read_entry
from commonplace.vault.folders.publish import DONE, Publisher
from commonplace.vault.index.mirror import Contents, NoteChange
from commonplace.vault.log.log import Log
from commonplace.vault.supervisor import tell_failure

if TYPE_CHECKING:
    from commonplace.core.graph import Graph

# Clients are followed so long after their last change, at the latest so long after the first.
CLIENT_PAUSE_SECONDS = 0.25
CLIENT_PAUSE_SECONDS_MAX = 1.0
FOLLOW_SECONDS = 0.05
_RETRY_SECONDS = 5.0
OPEN_SECONDS_MAX = 20.0
CLOSE_SECONDS_MAX = 3.0
_CHECK_SECONDS = 60.0

_ID, _LEFT = "folder", "folder-left"


@dataclass(frozen=True, slots=True)
class IndexAnswers:
    """What is asked of the index."""

    contents: Contents
    graph: "Callable[[], Awaitable[Graph]]"
    settled: Callable[[], Awaitable[None]]


@dataclass(slots=True)
class _Due:
    first: float
    at: float


class Folders:
    """Every root's document."""

    def __init__(
        self,
        roots: Roots,
        log: Log,
        notes: LiveNotes,
        touches: Touches,
        index: IndexAnswers,
        doors: Doors,
        *,
        read_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = roots
        self._log = log
        self._notes = notes
        self._touches = touches
        self._index = index
        self._wishes = Wishes(doors, roots, log, notes, read_only=read_only)
        self._showing = Publisher(roots, log, notes, touches)
        self._clock = clock
        self._opened: set[str] = set()
        self._heard: set[str] = set()
        self._heard_due = 0.0
        self._waiting: dict[str, _Due] = {}
        self._actors: dict[str, str] = {}
        self._alone = anyio.Lock()
        self._naming = anyio.Lock()
        self._woken = anyio.Event()
        notes.documents.follow(self._changed)

    # -- for whoever opens a root

    async def id_of(self, root: str) -> str:
        """Return the id of a root's document, which never changes."""
        if not self._roots.has(root):
            raise NotFound(f"There is no folder {root} in this vault.")
        async with self._naming:
            id = await self._log.record(_ID, root)
            if id is None:
                id = f"{FOLDER_PREFIX}{uuid.uuid4()}"
                await self._log.put_record(_ID, root, id)
        return id

    async def open(self, id: str) -> None:
        """Make a root's document ready, the first time from what the vault holds."""
        if id in self._opened:
            return
        known = await self._log.records(_ID)
        root = next((root for root, one in known.items() if one == id), None)
        if root is None or not self._roots.has(root):
            raise NotFound("There is no such document.")
        with anyio.move_on_after(OPEN_SECONDS_MAX) as limit:
            await self._index.settled()
        if limit.cancelled_caught:
            raise Unavailable("The index is being built; try again in a moment.")
        async with self._alone:
            if id not in self._opened:
                listing = RootListing(root, id, lambda inside: self._has(root, inside))
                self._showing.listings[id] = listing  # so that what happens meanwhile is heard
                try:
                    await self._begin(listing)
                except BaseException:
                    del self._showing.listings[id]
                    raise
                self._opened.add(id)

    # -- following

    def heard(self, change: NoteChange) -> None:
        """Hear from the index that a note came, changed or went."""
        if self._showing.listings:
            self._heard.update(path for path in (change.path, change.was) if path is not None)
            self._heard_due = self._clock() + FOLLOW_SECONDS
            self._woken.set()

    async def run(self) -> None:
        """Keep documents and vault in step until cancelled."""
        while True:
            with anyio.move_on_after(self._pause()):
                await self._woken.wait()
            self._woken = anyio.Event()
            await self._turn(self._clock())

    async def settle(self) -> None:
        """Catch up now with all that was heard and asked for."""
        await self._turn(float("inf"))

    async def close(self) -> None:
        """Catch up if that is quick; keep on record what could not be done any more."""
        with anyio.move_on_after(CLOSE_SECONDS_MAX):
            await self.settle()
        for id, touched in self._touches.by_document().items():
            if touched and id in self._showing.listings:
                rows = [[*place, before] for place, before in touched.items()]
                await self._log.put_record(_LEFT, id, json.dumps(rows))

    def _changed(self, change: Change) -> None:
        if is_folder(change.id) and change.origin is not self._showing:
            now = self._clock()
            due = self._waiting.setdefault(change.id, _Due(now, now))
            due.at = min(now + CLIENT_PAUSE_SECONDS, due.first + CLIENT_PAUSE_SECONDS_MAX)
            self._actors[change.id] = change.actor
            self._woken.set()

    def _pause(self) -> float:
        now = self._clock()
        due = [each.at for each in self._waiting.values()]
        due += [self._heard_due] if self._heard else []
        return max(0.0, min(due, default=now + _CHECK_SECONDS) - now)

    async def _turn(self, now: float) -> None:
        async with self._alone:
            for id in [id for id, due in self._waiting.items() if due.at <= now]:
                del self._waiting[id]
                if (listing := self._showing.listings.get(id)) is not None:
                    await self._try(self._obey(listing), id)
            replaced = self._showing.catalog is not self._index.contents.catalog
            if self._showing.listings and (replaced or (self._heard and self._heard_due <= now)):
                await self._try(self._follow())

    async def _try(self, work: Awaitable[None], id: str | None = None) -> None:
        """Go on after a disk or a log that fails for a while."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 (told, and tried again; other roots go on)
            tell_failure("The list of a folder could not be kept current.", error)
            again = self._clock() + _RETRY_SECONDS
            self._heard_due = again
            if id is not None:
                self._waiting[id] = _Due(again, again)

    async def _obey(self, listing: RootListing) -> None:
        """Do to the vault what clients did to its list, then show what came of it."""
        touched = self._touches.take(listing.id)
        done = False
        try:
            actor = self._actors.get(listing.id, "person")
            async with self._notes.documents.hold(listing.id) as document:
                folder = cast("FolderDocument", document)
                keys = await self._wishes.carry_out(listing, folder, touched, actor)
            await self._showing.show(listing, {*touched, *((FILES, key) for key in keys)})
            done = True
        finally:
            if not done:  # it is tried again, or kept on record
                self._touches.give_back(listing.id, touched)

    async def _follow(self) -> None:
        """Let the documents follow what the index told, or what took its place."""
        heard, self._heard = self._heard, set()
        done = False
        try:
            await self._notes.moves.carry()
            catalog = self._index.contents.catalog
            if catalog is not self._showing.catalog:
                heard |= self._showing.moved(catalog)
            linked = await self._showing.renew(await self._index.graph(), catalog)
            await self._notes.ids.identify_all([p for p in heard if self._showing.is_there(p)])
            await self._showing.follow(heard, linked)
            done = True
        finally:
            if not done:
                self._heard |= heard

    # -- the beginning

    async def _begin(self, listing: RootListing) -> None:
        await self._notes.moves.carry()
        await self._notes.ids.learn()
        replay = await self._log.replay(listing.id)
        if replay.updates:
            await self._adopt(listing)
        catalog = self._index.contents.catalog
        await self._notes.ids.identify_all(list(catalog.paths()))
        await self._showing.renew(await self._index.graph(), catalog)
        async for some in slices(catalog.beneath(self._roots.joined(listing.root, ""))):
            for path in some:
                listing.put(self._roots.split(path)[1], await self._notes.ids.id_of(path))
        if not replay.updates:
            await self._showing.build(listing)
        await self._resume(listing, new=not replay.updates)

    async def _resume(self, listing: RootListing, *, new: bool) -> None:
        """Do what was left undone, then show all of the vault."""
        seq = await self._notes.documents.saved(listing.id)
        if await self._log.record(DONE, listing.id) == str(seq):
            self._touches.take(listing.id)
        if (left := await self._log.record(_LEFT, listing.id)) is not None:
            rows = cast("list[tuple[str, str, str | None]]", json.loads(left))
            touched: Touched = {(name, key): before for name, key, before in rows}
            self._touches.give_back(listing.id, touched)
        if self._touches.of(listing.id):
            await self._obey(listing)
        if left is not None:
            await self._log.put_record(_LEFT, listing.id, None)
        if not new:
            await self._showing.show_all(listing)

    async def _adopt(self, listing: RootListing) -> None:
        """Give files the ids that the document lists for them, where a crash came in between."""
        paths = self._index.contents.catalog.beneath(self._roots.joined(listing.root, ""))
        async with self._notes.documents.hold(listing.id) as document:
            folder = cast("FolderDocument", document)
            for path in [path for path in paths if self._notes.ids.known_id(path) is None]:
                entry = read_entry(folder.value(FILES, f"/{self._roots.split(path)[1]}"))
                if entry is not None and await self._log.find(entry.id) is None:
                    await self._notes.ids.place(entry.id, path)

    def _has(self, root: str, inside: str) -> bool:
        return self._roots.is_folder(self._roots.joined(root, inside))
