"""Which note a link means.

A link can only mean a note that carries the link's *name*: the last part of its target, without
`.md`, whatever the case. So a note that appears, goes or is renamed can change the meaning of
those links alone whose name it carries; `name_key` is what an index keeps to find them.

Resolution, first that hits: relative to the note's folder; from the top of its root or of the
vault; end of a path; file name; alias; title. Several hits: the same folder, then the shortest
path, then by name, and the link is marked ambiguous.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from commonplace.core import paths
from commonplace.core.text.words import fold

# A link to one of these is an attachment unless a note carries the whole name.
_ATTACHMENTS = frozenset(
    """3gp avi avif base bmp c canvas cpp css csv doc docx epub excalidraw flac gif gz h heic htm
    html ico ics jpeg jpg js json key log m4a mkv mov mp3 mp4 odp ods odt ogg ogv opus pages pdf
    png ppt pptx py rs rtf sh svg tar tex tgz tif tiff toml ts tsv txt wav webm webp xls xlsx xml
    yaml yml zip""".split()  # noqa: SIM905 (a list literal would fill a screen)
)


class NameKind(IntEnum):
    """How a note carries a name; a lower kind wins."""

    FILE = 0
    ALIAS = 1
    TITLE = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A note that carries a name: its path, and the name as an alias or title spells it."""

    path: str
    kind: NameKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The note that a link means, and whether others could have been meant as well."""

    path: str
    ambiguous: bool = False


def name_key(target: str) -> str:
    """Return the name that a note must carry to be meant by `target`."""
    return fold(_without_md(target.rstrip("/").rpartition("/")[2]))


def is_attachment(target: str) -> bool:
    """Tell whether a target that no note carries names a picture or another file."""
    _, dot, ending = target.rpartition(".")
    return bool(dot) and ending.lower() in _ATTACHMENTS


def is_bare(target: str) -> bool:
    """Tell whether a target is a name alone: if one file carries it, that is what it means."""
    return "/" not in target


def resolve(
    target: str, source: str, candidates: Sequence[Candidate], root: str = ""
) -> Resolved | None:
    """Find the note that `target` means in the note `source`.

    `candidates` are the notes that carry `name_key(target)`; `root` is the first path part of
    the source when the vault has several roots.
    """
    if not candidates:
        return None
    files = [c.path for c in candidates if c.kind is NameKind.FILE]
    if len(files) == 1 and is_bare(target):
        return Resolved(files[0])  # wherever it is: nearest, and the only one of its name
    wanted = fold(_without_md(target.rstrip("/")))
    for place in _places(wanted, source, root):
        if hits := [path for path in files if _bare(path) == place]:
            return _choose(hits, source, exact=_without_md(target))
    ending = "/" + wanted.lstrip("./")
    if hits := [path for path in files if ("/" + _bare(path)).endswith(ending)]:
        return _choose(hits, source)
    for kind in (NameKind.ALIAS, NameKind.TITLE):
        if hits := _named(candidates, kind, fold(target), wanted):
            return _choose(hits, source)
    return None


def _named(candidates: Iterable[Candidate], kind: NameKind, target: str, wanted: str) -> list[str]:
    spelled = (target, wanted)
    return sorted({c.path for c in candidates if c.kind is kind and fold(c.name) in spelled})


def _places(wanted: str, source: str, root: str) -> Iterable[str]:
    if not wanted.startswith("/"):
        folder = fold(source.rpartition("/")[0])
        if relative := _joined(folder, wanted):
            yield relative
    top = wanted.lstrip("/")
    if root and (inside := _joined(fold(root), top)):
        yield inside
    if from_vault := _joined("", top):
        yield from_vault


def _joined(folder: str, target: str) -> str | None:
    """Join and normalise; None when `..` climbs out of the vault."""
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _choose(hits: list[str], source: str, exact: str = "") -> Resolved:
    if len(hits) == 1:
        return Resolved(hits[0])
    # On a case-sensitive disk `Note.md` and `note.md` are two notes: the spelling decides.
    spelled = [h for h in hits if exact and _without_md(h).endswith(exact.lstrip("./"))]
    if len(spelled) == 1:
        return Resolved(spelled[0])
    folder = source.rpartition("/")[0]
    best = min(hits, key=lambda p: (p.rpartition("/")[0] != folder, p.count("/"), len(p), p))
    return Resolved(best, ambiguous=True)


@lru_cache(maxsize=4096)
def _bare(path: str) -> str:
    return fold(_without_md(path))


def _without_md(path: str) -> str:
    return path[:-3] if paths.has_note_suffix(path) else path
