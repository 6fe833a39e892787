"""The texts of notes: which note a path names, and what it says at this moment.

A live text is ahead of its file, and the file of the index. The corpus holds accepted texts.
"""

from commonplace.core import critic, endings, paths, render
from commonplace.errors import CommonplaceError, NotFound, Unavailable, Unreadable
from commonplace.vault.contents import Contents
from commonplace.vault.roots import Roots
from commonplace.vault.shelf import Shelf


class Texts:
    """Notes, found by path and read."""

    def __init__(self, roots: Roots, contents: Contents, shelf: Shelf) -> None:
        self._roots = roots
        self._contents = contents
        self._shelf = shelf

    def find(self, raw: str) -> str:
        """Return the path of the note that `raw` names: exactly, or with `.md` added."""
        path = paths.note_path(raw)
        self.require_roots()
        for candidate in (path, f"{path}.md"):
            if candidate[-3:].lower() == ".md" and self._exists(candidate):
                return candidate
        if self._roots.is_folder(path):
            raise NotFound(f"{path} is a folder, not a document. Use glob to list what it holds.")
        near = paths.near(path, self._contents.catalog.paths())
        raise NotFound(render.not_found(path, near))

    async def marked(self, path: str) -> str:
        """Read a note's text as it stands, pending suggestions and all: live, else its file's."""
        found = self.find(path)
        if (live := await self._shelf.text(found)) is not None:
            return live
        entry = self._contents.catalog.get(found)
        on_disk = (entry and entry.on_disk) or self._roots.find(found) or found
        data, _ = self._roots.read(on_disk)
        try:
            text, _ = endings.decode(data)
        except Unreadable as error:
            raise Unreadable(f"{found}: {error}.") from error
        return text

    def of_note(self, note: int) -> bytes:
        """Return a text from the corpus, else from the file; nothing if it cannot be read."""
        if (text := self._contents.corpus.text(note)) is not None:
            return text
        path = self._contents.catalog.path(note)
        if path is None:
            return b""
        try:
            data, _ = self._roots.read(self._roots.find(path) or path)
            return critic.accepted(endings.decode(data)[0]).encode()
        except CommonplaceError:
            return b""

    def is_folder(self, path: str) -> bool:
        """Tell whether there is a folder of that path; the top is one."""
        return self._roots.is_folder(path)

    def require_roots(self) -> None:
        """Refuse to answer for a vault whose folder is gone."""
        if missing := self._roots.missing():
            raise Unavailable(
                f"The vault's folder {', '.join(missing)} is not there any more. Was it moved,"
                " or its disk unmounted? Put it back, or start again with its new place."
            )

    def _exists(self, path: str) -> bool:
        if self._roots.ignores(path):
            return False
        entry = self._contents.catalog.get(path)
        if entry is not None and self._roots.stamp(entry.on_disk or path) is not None:
            return True
        return self._roots.find(path) is not None
