"""What clients mean by their changes to a folder's document: pure, from entries to steps.

A note is known by its id. An id that left one path and is at another has moved; one that left
and is nowhere has been deleted; one that nobody has used yet is a new note. All else means
nothing, and is put right by showing the vault as it is: a note put in the place of another, a
note at two paths, an id of a note that is elsewhere.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import cast

from commonplace.core import paths
from commonplace.core.file_sides import is_too_many
from commonplace.errors import BadPath
from commonplace.vault.documents.folder_document import FOLDER_PREFIX

CREATED_MAX = 5_000

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{15,63}")
_TYPES = {"markdown": False, "folder": True}


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """One value of `filemeta_v0`."""

    id: str
    folder: bool = False


def read_entry(value: object) -> FolderEntry | None:
    """Read a value that a client wrote; None if it is no entry."""
    if not isinstance(value, dict):
        return None
    fields = cast("dict[str, object]", value)
    id, kind = fields.get("id"), fields.get("type")
    if not isinstance(id, str) or not _ID.fullmatch(id) or id.startswith(FOLDER_PREFIX):
        return None
    return FolderEntry(id, _TYPES[kind]) if isinstance(kind, str) and kind in _TYPES else None


def shown(entry: FolderEntry) -> dict[str, object]:
    """Make the value that stands for an entry."""
    return {"id": entry.id, "type": "folder" if entry.folder else "markdown", "version": 0}


def inside_of(key: str) -> str | None:
    """Return the path inside the root that a key names, in its canonical form."""
    if not key.startswith("/"):
        return None
    try:
        return paths.note_path(key[1:])
    except BadPath:
        return None


@dataclass(frozen=True, slots=True)
class ClientTouches:
    """What clients touched, by path inside the root.

    `listed`: the ids that stand now where the vault has another note, or none. `left`: the notes
    whose own path no longer shows them; `removed` are those of them where nothing stands. `homes`:
    where the file of an id is. `fresh`: ids that no document ever had.
    """

    listed: Mapping[str, str]
    left: Mapping[str, str]
    removed: Set[str]
    homes: Mapping[str, str]
    fresh: Set[str]


@dataclass(slots=True)
class FolderSteps:
    """What to do to the vault; a note without an id gets a new one."""

    moves: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    new: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    gone: list[str] = field(default_factory=list[str])
    held: int = 0


def steps(seen: ClientTouches, count: int) -> FolderSteps:
    """Work out what to do in a root of so many notes."""
    found = FolderSteps()
    moving: dict[str, str] = {}
    for path, id in seen.listed.items():
        home = seen.homes.get(id)
        if home is not None and (home in seen.left or home.startswith(".")):
            moving.setdefault(home, path)
    for path, id in seen.listed.items():
        free = path not in seen.left or path in moving
        if id not in seen.homes and free and len(found.new) < CREATED_MAX:
            found.new.append((path, id if id in seen.fresh else None))
    found.moves = list(moving.items())
    found.gone = [path for path in seen.removed if path not in moving]
    if is_too_many(len(found.gone), count):
        found.held, found.gone = len(found.gone), []
    return found
