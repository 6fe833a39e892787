"""What folder and server hold, and what both last agreed on: the three sides of every file."""

from commonplace.core.file_sides import Sides
from commonplace.vault.attachments.files import File
from commonplace.vault.files.reader import Stamp
from commonplace.vault.remote_copy.server import RemoteFiles
from commonplace.vault.remote_copy.state import AgreedFile


class FileStates:
    """What folder and server hold, by path, as far as is known."""

    def __init__(self, agreed: dict[str, AgreedFile]) -> None:
        self.agreed = agreed
        self.here: dict[str, File] = {}
        self.there: dict[str, str] = {}
        self.large: set[str] = set()
        self._hashes: dict[str, tuple[Stamp, str]] = {}

    def take(self, found: RemoteFiles) -> None:
        """Take in what the server says."""
        if found.whole:
            self.there.clear()
            self.large.clear()
        for path in (*found.gone, *found.large):
            self.there.pop(path, None)
        self.large -= found.gone | found.files.keys()
        self.large |= found.large
        self.there |= found.files

    def know_there(self, path: str, before: str | None, sha: str | None) -> None:
        """Remember what an answer says that the server holds; None if that is nothing.

        `before` is what was known when it was asked: what the server has told since is newer.
        """
        if self.there.get(path) != before:
            return
        if sha is None:
            self.there.pop(path, None)
        else:
            self.there[path] = sha

    def hash_here(self, path: str) -> str | None:
        """Return the hash of a file of the folder, if it is known for the state that it is in."""
        file, agreed = self.here.get(path), self.agreed.get(path)
        if file is None:
            return None
        stamp, sha = self._hashes.get(path, (None, None))
        if stamp == file.stamp:
            return sha
        return agreed.sha if agreed is not None and agreed.stamp == file.stamp else None

    def know_here(self, path: str, stamp: Stamp | None, sha: str = "") -> None:
        """Remember what a file of the folder holds; None if it is gone."""
        if stamp is None:
            self.here.pop(path, None)
            self._hashes.pop(path, None)
        else:
            known = self.here.get(path)
            self.here[path] = File(path, stamp, known.on_disk if known else path)
            self._hashes[path] = (stamp, sha)

    def sides(self) -> dict[str, Sides]:
        """Return what each side holds of all files whose state here is known."""
        every = self.agreed.keys() | self.here.keys() | self.there.keys()
        return {
            path: self.side(path)
            for path in every
            if path not in self.large and (path not in self.here or self.hash_here(path))
        }

    def side(self, path: str) -> Sides:
        """Return what each side holds of a file."""
        agreed = self.agreed.get(path)
        return Sides(agreed.sha if agreed else None, self.hash_here(path), self.there.get(path))
