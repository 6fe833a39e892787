"""Which paths a note can have: one policy for every path that comes from outside.

A path is relative to the vault, its parts are joined by `/`, and it is in Unicode form NFC. There
are two levels: `note_path` holds for any access, `new_note_path` also asks that every file system
and sync service can carry the name. This is a rule about text: what a path leads to on disk is
settled by opening it beneath a root.
"""

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

from commonplace.core.text import invisible
from commonplace.errors import BadPath

PATH_BYTES_MAX = 1024
PART_BYTES_MAX = 255
NEW_PART_BYTES_MAX = 230  # leaves room for " (conflict 2026-11-15)" and the like
PATH_DEPTH_MAX = 32
NEAR_SCORE_MIN = 75
_NEAR_POOL_MAX = 64

_EXAMPLE = 'Write it from the top of the vault, like "Notes/Ideas.md".'
_OUR_URI = "note:///"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DRIVE = re.compile(r"[A-Za-z]:")
_PLAIN_PATH = re.compile(r"(?>\w[\w ,&'()+-]*(?:\.[\w ,&'()+-]+)*/)*+\w[\w .,&'()+-]*", re.ASCII)
_PLAIN_CHARACTERS_MAX = 200

_NOT_PORTABLE = re.compile(r'[<>:"|?*]')
_SLASH_ALIKE = re.compile("[\u2044\u2215\u2216\u29f5\u29f8\ufe68\uff0f\uff3c]")
_DOTS = "\u2024\u2025\u2026\u3002\ufe52\uff0e\uff61"
_ENCODED = re.compile(r"%(?:25)*(?:2e|2f|5c|00|c0|e0|u[0-9a-f]{4})", re.IGNORECASE)
_SHORT_NAME = re.compile(r"[^.~]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?")
_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789¹²³"]
)


def note_path(raw: object) -> str:
    """Return the canonical form of a path that is to be looked up."""
    if not isinstance(raw, str):
        raise BadPath(f"A path must be text. {_EXAMPLE}")
    if len(raw) <= _PLAIN_CHARACTERS_MAX and _is_plain(raw):
        return raw
    path = _canonical(raw)
    _check_start(path)
    _check_characters(path)
    parts = path.split("/")
    if len(parts) > PATH_DEPTH_MAX:
        raise BadPath(
            f"The path is {len(parts)} levels deep; at most {PATH_DEPTH_MAX} are allowed."
        )
    for part in parts:
        _check_part(part)
    return path


def new_note_path(raw: object) -> str:
    """Return the canonical form of a path that a note is to get."""
    path = note_path(raw)
    if not has_note_suffix(path):
        raise BadPath('The path does not end in ".md". Add it: notes are Markdown files.')
    return _portable(path)


def new_file_path(raw: object) -> str:
    """Return the canonical form of a path that an attachment is to get."""
    path = note_path(raw)
    if has_note_suffix(path):
        raise BadPath('The path ends in ".md": that would be a note, not an attachment.')
    if "." not in path.rpartition("/")[2].strip("."):
        raise BadPath('The name has no ending. Add one that says what it is, like ".png".')
    return _portable(path)


def is_attachment(path: str) -> bool:
    """Say whether a name found on disk can be an attachment's."""
    if has_note_suffix(path):
        return False
    try:
        note_path(path)
    except BadPath:
        return False
    return True


def _portable(path: str) -> str:
    """Refuse a name that some file systems or sync services cannot carry."""
    if _ENCODED.search(path):
        raise BadPath(
            "The path holds a percent-encoded dot or slash. Write the characters plainly."
        )
    for part in path.split("/"):
        _check_new_part(part)
    _check_assigned(path)
    return path


def meant(raw: str) -> str | None:
    """Return the path that another way to name a note may mean: a link, our URI, from the top."""
    path = raw.strip()
    if path.startswith("[[") and path.endswith("]]"):
        path = re.split(r"[|#]", path[2:-2])[0]
    elif path.startswith(_OUR_URI):
        path = unquote(path.removeprefix(_OUR_URI))
    path = path.removeprefix("./").lstrip("/")
    try:
        return note_path(path) if path != raw else None
    except BadPath:
        return None


def folder_path(raw: object) -> str:
    """Return the canonical form of a folder's path; the top of the vault is the empty string."""
    if raw in ("", ".", "/"):
        return ""
    return note_path(raw.removesuffix("/") if isinstance(raw, str) else raw)


def is_document(path: str) -> bool:
    """Say whether a name found on disk is a note's, so that it can be listed and asked for."""
    if not has_note_suffix(path):
        return False
    try:
        note_path(path)
    except BadPath:
        return False
    return True


def collision_key(path: str) -> str:
    """Return what two paths share when some file systems take them for one."""
    folded = unicodedata.normalize("NFD", path).casefold()
    return unicodedata.normalize("NFC", folded)


def spelling_notice(asked: str, folder: str) -> str:
    """Say that the spelling of a folder that is there was kept, if another was asked for."""
    same = asked == folder or collision_key(asked) != collision_key(folder)
    return "" if same else f"The folder {folder} is there already; its spelling was kept."


def stem(path: str) -> str:
    """Return the file's name without `.md`."""
    name = path.rpartition("/")[2]
    return name[:-3] if has_note_suffix(name) else name


def parent(path: str) -> str:
    """Return the folder's path, the empty string at the top."""
    return path.rpartition("/")[0]


def near(wanted: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """Return the paths that may have been meant: by file name first, then by the whole path."""
    pool = list(names)
    target = wanted.casefold() if has_note_suffix(wanted) else f"{wanted.casefold()}.md"
    file = target.rpartition("/")[2]
    files = _folded([path.rpartition("/")[2] for path in pool])
    if files.count(file) >= limit:
        same = [path for path, other in zip(pool, files, strict=True) if other == file]
        return _ranked(target, _closest(target, same, _folded(same), 0))[:limit]
    return _ranked(target, _closest(file, pool, files, NEAR_SCORE_MIN))[:limit]


def _is_plain(path: str) -> bool:
    return _PLAIN_PATH.fullmatch(path) is not None and path.count("/") < PATH_DEPTH_MAX


def _canonical(raw: str) -> str:
    if not raw:
        raise BadPath(f"The path is empty. {_EXAMPLE}")
    if len(raw) <= PATH_BYTES_MAX:
        path = unicodedata.normalize("NFC", raw)
        if _size(path) <= PATH_BYTES_MAX:
            return path
    raise BadPath(f"The path is too long: at most {PATH_BYTES_MAX} bytes. Use shorter names.")


def _check_start(path: str) -> None:
    if _URL.match(path):
        raise BadPath(f"The path is a URL, which no tool opens. {_EXAMPLE}")
    if path.startswith("/"):
        raise BadPath(f'The path starts with "/", but paths are relative to the vault. {_EXAMPLE}')
    if path.startswith("~"):
        raise BadPath(f'The path starts with "~", which stands for a home folder. {_EXAMPLE}')
    if _DRIVE.match(path):
        raise BadPath(f"The path starts with a drive letter. {_EXAMPLE}")
    if "\\" in path:
        raise BadPath('The path holds a backslash. Part folders with "/".')


def _check_characters(path: str) -> None:
    spaced = next((character for character in "\t\n\r" if character in path), None)
    found = spaced or next((character for _, character in invisible.positions(path)), None)
    if found:
        raise BadPath(
            f"The path holds a character that cannot be seen ({invisible.label(found)}). "
            "Write the name without it."
        )


def _check_part(part: str) -> None:
    if not part:
        raise BadPath("The path holds an empty part. Write single slashes, and none at the end.")
    if part in (".", ".."):
        raise BadPath(f'The path holds "{part}". {_EXAMPLE}')
    if part.startswith("."):
        raise BadPath(f'"{part}" is hidden (it starts with a dot). Hidden files are not notes.')
    _check_size(part, PART_BYTES_MAX)


def _check_size(part: str, most: int) -> None:
    if _size(part) > most:
        raise BadPath(f'"{part[:20]}..." is too long: at most {most} bytes. Use a shorter name.')


def _check_new_part(part: str) -> None:
    _check_size(part, NEW_PART_BYTES_MAX)
    if found := _NOT_PORTABLE.search(part) or _SLASH_ALIKE.search(part):
        raise BadPath(
            f'"{part}" holds "{found[0]}", which some systems cannot store or take for a '
            'separator. Leave it out, or write "-".'
        )
    if part != part.strip() or part.endswith("."):
        raise BadPath(f'"{part}" starts or ends with a space, or ends with a dot. Leave that out.')
    if part[0] in _DOTS or part[-1] in _DOTS:
        raise BadPath(f'"{part}" starts or ends with what looks like a dot. Leave that out.')
    _check_not_reserved(part)


def _check_not_reserved(part: str) -> None:
    if part.partition(".")[0].strip().upper() in _RESERVED:
        raise BadPath(f'"{part}" is the name of a device on Windows. Use another name.')
    if _SHORT_NAME.fullmatch(part) and len(part.partition(".")[0]) <= 8:
        raise BadPath(f'"{part}" looks like a shortened Windows name. Write the name without "~".')


def _check_assigned(path: str) -> None:
    for character in path:
        if character > "\x7f" and not _is_assigned(character):
            raise BadPath(
                f"The path holds a character with no agreed meaning "
                f"({invisible.label(character)}). Use another one."
            )


def _is_assigned(character: str) -> bool:
    # newer Unicode than Python's adds emoji and ideographs in these blocks
    growing = invisible.pictographic(character) or "\U00020000" <= character <= "\U0003ffff"
    category = unicodedata.category(character)
    return category not in ("Cn", "Co") or (category == "Cn" and growing)


def has_note_suffix(path: str) -> bool:
    """Tell whether a path ends as those of notes do: in `.md`, in any case."""
    return path[-3:].lower() == ".md"


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _folded(texts: list[str]) -> list[str]:
    # one call for all of them is faster; no valid path holds a newline
    folded = "\n".join(texts).casefold().split("\n")
    return folded if len(folded) == len(texts) else [text.casefold() for text in texts]


def _closest(wanted: str, paths: list[str], keys: list[str], score: int) -> list[str]:
    from rapidfuzz import fuzz, process  # late: most calls need none

    hits = process.extract(
        wanted, keys, scorer=fuzz.ratio, limit=_NEAR_POOL_MAX, score_cutoff=score
    )
    return [paths[index] for _, _, index in hits]


def _ranked(target: str, paths: list[str]) -> list[str]:
    wanted = stem(target)

    from rapidfuzz import fuzz  # late: most calls need none

    def closeness(path: str) -> tuple[float, float, str]:
        folded = path.casefold()
        return -fuzz.ratio(wanted, stem(folded)), -fuzz.ratio(target, folded), path

    ranked = sorted(map(closeness, paths))
    return [path for by_name, _, path in ranked if -by_name >= NEAR_SCORE_MIN]
