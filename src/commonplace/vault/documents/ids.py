"""Which document lives where: the id of each path, and the path of each id.

The log has it all; what was met once is kept in memory, for those who cannot wait.
"""

from collections.abc import Iterable

from commonplace.errors import Conflict
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import DocumentId, Log, Place


class Ids:
    """The ids of documents, by path and back."""

    def __init__(self, roots: Roots, log: Log) -> None:
        self._roots = roots
        self._log = log
        self._by_path: dict[str, str] = {}
        self._by_id: dict[str, str] = {}
        self._learnt = False

    async def id_of(self, path: str) -> str:
        """Return the id of the document at a path; the first time, give it one."""
        if (known := self._by_path.get(path)) is not None:
            return known
        return (await self.identify(path)).id

    async def identify(self, path: str) -> DocumentId:
        """Return what is known of the document at a path: its id and epoch."""
        document = await self._log.identify(self._place(path))
        self._put(path, document.id)
        return document

    async def path_of(self, id: str) -> str | None:
        """Return where a document lives now."""
        if (known := self._by_id.get(id)) is not None:
            return known
        document = await self._log.find(id)
        if document is None or document.place is None:
            return None
        path = self._roots.joined(document.place.root, document.place.path)
        self._put(path, id)
        return path

    def known_id(self, path: str) -> str | None:
        """Return the id of the document at a path, if one was met there."""
        return self._by_path.get(path)

    def known_path(self, id: str) -> str | None:
        """Return where a document lives, if it was met."""
        return self._by_id.get(id)

    async def identify_all(self, paths: Iterable[str]) -> None:
        """Let every one of these notes have an id that is known; new ones get theirs at once."""
        new = [path for path in paths if path not in self._by_path]
        if new:
            known = await self._log.identify_all([self._place(path) for path in new])
            for path, document in zip(new, known, strict=True):
                self._put(path, document.id)

    async def learn(self) -> None:
        """Learn the ids of all documents that were ever live, once."""
        if not self._learnt:
            for document in await self._log.known():
                if document.place is not None and self._roots.has(document.place.root):
                    path = self._roots.joined(document.place.root, document.place.path)
                    self._put(path, document.id)
            self._learnt = True

    async def recorded_id(self, path: str) -> str | None:
        """Return the id that the log has for a path; none is given."""
        found = await self._log.at(self._place(path))
        return None if found is None else found.id

    async def place(self, id: str, path: str) -> None:
        """Note that a document lives at a path now; one that was there before is out."""
        while not await self._place_over(id, path, await self.recorded_id(path)):
            pass  # whoever met the path since has given an id to what is there
        self._put(path, id)

    async def _place_over(self, id: str, path: str, there: str | None) -> bool:
        """Put a document in the place of another; False if it is not that one which is there."""
        out = {there: None} if there is not None and there != id else {}
        try:
            await self._log.move({**out, id: self._place(path)})
        except Conflict:
            return False
        for gone in out:
            self._drop(gone)
        return True

    async def follow_file(self, old: str, new: str) -> None:
        """Let the document of a note follow its file, whatever was at the new path."""
        if (id := await self.recorded_id(old)) is not None:
            await self.place(id, new)

    async def follow_seen(self, old: str, new: str) -> None:
        """Let a document follow its file if it seems to have moved, unless another is there."""
        id = await self.recorded_id(old)
        if id is not None and await self.recorded_id(new) is None:
            await self._log.move({id: self._place(new)})
            self._put(new, id)

    async def remove(self, id: str) -> None:
        """Note that a document lives nowhere any more."""
        await self._log.move({id: None})
        self._drop(id)

    def _put(self, path: str, id: str) -> None:
        self._drop(id)
        self._by_path[path] = id
        self._by_id[id] = path

    def _drop(self, id: str) -> None:
        if (path := self._by_id.pop(id, None)) is not None:
            self._by_path.pop(path, None)

    def _place(self, path: str) -> Place:
        root, inside = self._roots.split(path)
        return Place(root, inside)
