"""Does to the vault what clients did to a folder's document, as far as the vault allows it.

Each step is made by itself through the same doors that people and tools use, so the policy for
paths, the ban on overwriting and the trash hold here too. A step that is refused leaves no trace
on disk; the document is put right by the caller.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

import anyio.to_thread

from commonplace.core import paths
from commonplace.errors import BadArgument, CommonplaceError, Conflict
from commonplace.vault.documents.folder_document import FILES, FolderDocument, Touched
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files import empty_folders
from commonplace.vault.files.roots import Roots
from commonplace.vault.files.trash_names import TRASH
from commonplace.vault.folders.listing import RootListing
from commonplace.vault.folders.plan import ClientTouches, FolderEntry, inside_of, read_entry, steps
from commonplace.vault.log.log import DocumentId, Log

_LISTED_MAX = 20_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Doors:
    """The ways into the vault: each checks everything, and does a thing whole or refuses it."""

    create: Callable[[str, str, str | None], Awaitable[str]]
    rename: Callable[[str, str, str], Awaitable[object]]
    delete: Callable[[str, str], Awaitable[object]]


class Wishes:
    """What the clients of one root want, carried out."""

    def __init__(
        self, doors: Doors, roots: Roots, log: Log, notes: LiveNotes, *, read_only: bool
    ) -> None:
        self._doors = doors
        self._roots = roots
        self._log = log
        self._notes = notes
        self._read_only = read_only

    async def carry_out(
        self, listing: RootListing, document: FolderDocument, touched: Touched, actor: str
    ) -> set[str]:
        """Follow what was touched; returns the keys that must be looked at afterwards."""
        before = {key: id for (name, key), id in touched.items() if name == FILES}
        now: dict[str, FolderEntry | None] = {}
        for key in before:
            value = document.value(FILES, key)
            entry = read_entry(value)
            if value is None or entry is not None:  # anything else means nothing
                now[key] = entry
        keys = set(before)
        if self._read_only or not now:
            return keys
        seen = await self._seen(listing, before, now)
        todo = steps(seen, len(listing.notes))
        if todo.held:
            logger.warning(
                "%s wanted to delete %d notes of %s at once; they were kept. Delete them in"
                " smaller numbers, or on disk.",
                actor,
                todo.held,
                listing.root,
            )
        keys |= await self._move_all(listing, todo.moves, actor)
        for path in todo.gone:
            await self._try(self._delete(listing, path, actor), path)
        for path, id in todo.new:
            await self._try(self._create(listing, path, id), path)
            keys.add(f"/{path}")
        await self._folders(listing, now)
        return keys

    async def _seen(
        self,
        listing: RootListing,
        before: Mapping[str, str | None],
        now: Mapping[str, FolderEntry | None],
    ) -> ClientTouches:
        listed: dict[str, str] = {}
        left: dict[str, str] = {}
        removed: set[str] = set()
        for key, entry in now.items():
            inside = inside_of(key)
            if inside is None or len(listed) >= _LISTED_MAX:
                continue
            there = listing.notes.get(inside)
            if entry is not None and not entry.folder and entry.id != there:
                listed[inside] = entry.id
            if there is not None and entry is None and before[key] == there:
                left[inside] = there
                removed.add(inside)
            elif there is not None and entry is not None and entry.id != there:
                left[inside] = there
        known = {id: await self._log.find(id) for id in listed.values()}
        homes = {id: home for id, one in known.items() if (home := self._home(listing, one))}
        fresh = {id for id, one in known.items() if one is None}
        return ClientTouches(listed, left, removed, homes, fresh)

    def _home(self, listing: RootListing, known: DocumentId | None) -> str | None:
        """Return where the file of a document is, if it is in this root or in its trash."""
        place = known and known.place
        if place is None or place.root != listing.root:
            return None
        found = self._roots.find(self._roots.joined(place.root, place.path))
        return None if found is None else place.path

    async def _move_all(
        self, listing: RootListing, moves: Iterable[tuple[str, str]], actor: str
    ) -> set[str]:
        """Make moves in an order in which each finds its new name free; others are left."""
        left, keys = dict(moves), set[str]()
        while ready := {old: new for old, new in left.items() if new not in listing.notes}:
            for old, new in ready.items():
                del left[old]
                keys |= {f"/{old}", f"/{new}"}
                await self._try(self._move(listing, old, new, actor), new)
        return keys

    async def _move(self, listing: RootListing, old: str, new: str, actor: str) -> None:
        self._refuse_ignored(listing, new)
        was, to = (self._roots.joined(listing.root, each) for each in (old, new))
        if old.startswith(f"{TRASH}/"):
            if self._roots.find(paths.new_note_path(to)) is not None:
                raise Conflict(f"{to} exists already. Choose another name.")
            await self._notes.move(was, to)
        else:
            await self._doors.rename(was, to, actor)
        listing.drop(old)
        listing.put(new, await self._notes.ids.id_of(to))

    async def _create(self, listing: RootListing, path: str, id: str | None) -> None:
        self._refuse_ignored(listing, path)
        made = await self._doors.create(self._roots.joined(listing.root, path), "", id)
        listing.put(path, await self._notes.ids.id_of(made))

    async def _delete(self, listing: RootListing, path: str, actor: str) -> None:
        await self._doors.delete(self._roots.joined(listing.root, path), actor)
        listing.drop(path)

    async def _folders(self, listing: RootListing, now: Mapping[str, FolderEntry | None]) -> None:
        for key, entry in sorted(now.items(), reverse=True):
            inside = inside_of(key)
            if inside is None or inside in listing.notes:
                continue
            path = self._roots.joined(listing.root, inside)
            there = self._roots.is_folder(path)
            if entry is not None and entry.folder and not there:
                await self._try(_in_thread(empty_folders.make, self._roots, path), path)
            elif entry is None and there:
                await self._try(_in_thread(empty_folders.remove, self._roots, path), path)

    def _refuse_ignored(self, listing: RootListing, path: str) -> None:
        if self._roots.ignores(self._roots.joined(listing.root, path)):
            raise BadArgument(f"The vault's settings ignore {path}. Choose another path.")

    async def _try(self, step: Awaitable[None], path: str) -> None:
        try:
            await step
        except (CommonplaceError, OSError) as error:
            why = error if isinstance(error, CommonplaceError) else type(error).__name__
            logger.info("A client's change of %s was refused: %s", path, why)


async def _in_thread(work: Callable[[Roots, str], None], roots: Roots, path: str) -> None:
    await anyio.to_thread.run_sync(work, roots, path)
