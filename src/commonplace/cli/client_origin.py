"""What a client's settings file was before our entry came, so that it can be just that again.

Kept are the few characters that our change replaced, where they stood, and a digest of the file as
we left it; nothing of what else is in the file. A file that the client wrote since is changed by
its structure instead: then all that counts is whether its section was there, empty, before us.
"""

import contextlib
import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from commonplace.cli.client_file import swap

_FILE = "clients.json"


@dataclass(frozen=True, slots=True)
class SettingsOrigin:
    """How to come from a file as we left it back to what it was."""

    digest: str
    start: int
    end: int
    replaced: str
    absent: bool
    """There was no file."""
    empty: bool
    """The section was there, and nothing in it."""

    def of(self, text: str) -> str | None:
        """Return what a file was, if it is still as we left it."""
        if _digest(text) != self.digest:
            return None
        return text[: self.start] + self.replaced + text[self.end :]


def between(before: str, after: str, *, absent: bool, empty: bool) -> SettingsOrigin:
    """Return the way back from one text to another."""
    start = _same(before, after)
    tail = _same(before[start:][::-1], after[start:][::-1])
    return SettingsOrigin(
        _digest(after), start, len(after) - tail, before[start : len(before) - tail], absent, empty
    )


class Origins:
    """The origins of all settings files, in one file; a lost one is no harm."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _FILE

    def get(self, path: Path) -> SettingsOrigin | None:
        """Return what is known of a settings file."""
        try:
            return SettingsOrigin(**cast("dict[str, Any]", self._read()[str(path)]))
        except (KeyError, TypeError):
            return None

    def keep(self, path: Path, origin: SettingsOrigin | None) -> None:
        """Remember an origin, or forget what is known."""
        known = self._read()
        known.pop(str(path), None)
        if origin is not None:
            known[str(path)] = asdict(origin)
        with contextlib.suppress(OSError):
            swap(self._file, json.dumps(known))

    def _read(self) -> dict[str, object]:
        try:
            found: object = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _same(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
