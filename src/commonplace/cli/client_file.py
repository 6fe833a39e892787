"""A client's settings file on disk: read whole, and swapped whole for one with our change.

A link is followed, for many keep such files elsewhere and link to them. The file's mode stays, and
a file that was changed by somebody else since it was read is left alone.
"""

import difflib
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from commonplace.errors import Conflict, Unavailable
from commonplace.server.api.clients import ClientProgram

_BYTES_MAX = 32 * 1024 * 1024
_NEW_MODE = 0o600


@dataclass(frozen=True, slots=True)
class ClientFile:
    """Where a client keeps its settings; `shown` is that place for a person."""

    client: ClientProgram
    path: Path
    shown: str

    def read(self) -> str:
        """Return its text; nothing if it is not there yet."""
        try:
            found = self.path.read_bytes()
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise Unavailable(f"{self.shown} cannot be read ({error.strerror}).") from None
        if len(found) > _BYTES_MAX:
            raise Unavailable(f"{self.shown} is too big to be changed safely. Do it by hand.")
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError:
            raise Unavailable(f"{self.shown} is not UTF-8. Change it by hand.") from None

    def write(self, before: str, after: str) -> None:
        """Put a text in the place of the one that was read."""
        path = self.path.resolve()
        try:
            mode = path.stat().st_mode & 0o777 if path.exists() else _NEW_MODE
            with _replacement(path, after, mode) as new:
                self._unchanged(before)
                new.replace(path)
        except OSError as error:
            raise Unavailable(f"{self.shown} cannot be written ({error.strerror}).") from None

    def delete(self, before: str) -> None:
        """Take the file away, whose text was read."""
        self._unchanged(before)
        try:
            self.path.resolve().unlink()
        except OSError as error:
            raise Unavailable(f"{self.shown} cannot be deleted ({error.strerror}).") from None

    def _unchanged(self, before: str) -> None:
        if self.read() != before:
            raise Conflict(f"{self.shown} was changed meanwhile. Run this again.")


@contextmanager
def _replacement(path: Path, text: str, mode: int) -> Generator[Path]:
    """Write a text into a file of its own beside another, to take its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode("utf-8"))
            out.flush()
            os.fsync(out.fileno())
        new.chmod(mode)
        yield new
    finally:
        new.unlink(missing_ok=True)


def swap(path: Path, text: str) -> None:
    """Put a text whole into a file that is its user's alone."""
    with _replacement(path, text, _NEW_MODE) as new:
        new.replace(path)


def find(
    client: ClientProgram, home: Path, platform: str, environ: Mapping[str, str]
) -> ClientFile:
    """Say where a client's settings are for the person of this home."""
    below = client.file(platform)
    if moved := environ.get(client.home_variable):
        return ClientFile(client, Path(moved) / Path(below).name, f"{moved}/{Path(below).name}")
    path = home / below
    if below.startswith(".config/") and (folder := environ.get("XDG_CONFIG_HOME")):
        path = Path(folder) / below.removeprefix(".config/")
    shown = f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
    return ClientFile(client, path, shown)


def diff(name: str, before: str, after: str) -> str:
    """Show a change, as `diff -u` does."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), name, name
    )
    whole = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + whole for line in lines)
