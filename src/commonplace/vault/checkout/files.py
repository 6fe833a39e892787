"""The files of a working copy: opened beneath its folder, as those of a vault are."""

import os
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from commonplace.core import paths
from commonplace.core.text import endings
from commonplace.core.text.endings import FileForm
from commonplace.errors import BadArgument, CommonplaceError, Conflict, NotFound
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import Look, Stamp
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings


class CopyFiles:
    """The notes in a working copy's folder."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings((Root("copy", folder),), folder)
        self.folder = folder
        self.roots = Roots(self.settings)

    def close(self) -> None:
        """Let go of the folder."""
        self.roots.close()

    def scan(self) -> Iterator[tuple[str, Stamp]]:
        """Yield every note of the copy, with its stamp."""
        for listed in self.roots.scan():
            yield listed.path, listed.stamp

    def inside(self, absolute: str) -> str:
        """Return the path in the copy of a file of the machine.

        Raises:
            BadArgument: it is not in the copy, or no note could have that name.

        """
        path = self.roots.path_of(os.path.normpath(absolute))
        if not path:
            raise BadArgument("That file is not in the working folder.")
        return paths.note_path(path)

    def read(self, path: str) -> str | None:
        """Read a note; None if there is none."""
        try:
            data, _ = self.roots.read_patiently(path)
        except NotFound:
            return None
        return endings.decode(data)[0]

    def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a note's file; None if there is none."""
        return self.roots.stamp(path)

    def rename(self, old: str, new: str) -> bool:
        """Give a file another name; tell whether it was there, and the name was free."""
        try:
            self.roots.rename(old, new)
        except (OSError, CommonplaceError):
            return False
        return True

    def look(self, path: str) -> Look:
        """Read a note's bytes, and tell whether a program is writing it."""
        return self.roots.look(path)

    def write(self, path: str, text: str, expected: str | None) -> bool:
        """Write a note that reads as expected (None: that is not there); tell whether it did."""
        data = endings.encode(text, FileForm(), "")
        token = uuid.uuid4().hex
        try:
            if expected is None:
                self.roots.create(path, data, token)
                return True
            old, _ = self.roots.swap(path, data, token)
        except (OSError, Conflict, NotFound):
            return False
        same = decoded(old) == expected
        if not same:  # it was saved again meanwhile: that stays
            again = uuid.uuid4().hex
            with suppress(OSError):
                self.roots.swap(path, old, again, patient=False)
                self.roots.clear(path, again)
        self.roots.clear(path, token)
        return same

    def remove(self, path: str, expected: str) -> bool:
        """Remove a note that reads as expected; tell whether it did."""
        if self.read(path) != expected:
            return False
        folder, _, name = path.rpartition("/")
        try:
            top = open_beneath(
                self.roots.disk("copy").descriptor, folder, os.O_RDONLY | os.O_DIRECTORY
            )
        except OSError:
            return False
        try:
            os.unlink(name, dir_fd=top)
        except OSError:
            return False
        finally:
            os.close(top)
        return True


def decoded(data: bytes) -> str | None:
    """Return the text of a file; None if it is none."""
    try:
        return endings.decode(data)[0]
    except Exception:  # noqa: BLE001 (whatever it is, it is not what was expected)
        return None
