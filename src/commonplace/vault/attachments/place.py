"""Where a new attachment goes: by the person's setting, else as Obsidian is set for the vault."""

import json
import os
from datetime import datetime
from typing import cast

from commonplace.core import paths
from commonplace.core.attachments import media
from commonplace.errors import BadPath, CommonplaceError
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.roots import Roots

OBSIDIAN_FILE = ".obsidian/app.json"
OBSIDIAN_BYTES_MAX = 64 * 1024
_NAMES_MAX = 10_000


def folder_for(note: str, setting: str | None, roots: Roots) -> str:
    """Return the folder for what is pasted into a note; the empty string is the vault's top."""
    root, inside = roots.split(note)
    wanted = setting if setting is not None else _obsidian(roots, root)
    here = paths.parent(inside)
    if wanted.startswith("./"):
        below = wanted[2:].strip("/")
        wanted = "/".join(part for part in (here, below) if part)
    try:
        folder = paths.folder_path(wanted.strip("/"))
    except BadPath:
        folder = ""  # the vault's own settings may be anybody's: a folder that cannot be is none
    return roots.joined(root, folder).rstrip("/")


def file_name(name: str, kind: str, now: datetime) -> str:
    """Return a name that every system can carry: the one given, or one for a pasted picture."""
    plain = name.replace("\\", "/").rpartition("/")[2].strip()
    kept = "".join("-" if each in '<>:"|?*#^[]' else each for each in plain if each.isprintable())
    kept = kept.lstrip(". ").rstrip(". ")
    if kept and media.ending(kept) and kept.lower() not in _UNNAMED:
        return kept
    return f"Pasted image {now:%Y%m%d%H%M%S}.{_ENDINGS.get(kind, 'png')}"


def numbered(path: str, number: int) -> str:
    """Return the path with a number, as Obsidian adds it to a name that is taken."""
    stem, dot, ending = path.rpartition(".")
    return path if number == 0 else f"{stem} {number}{dot}{ending}"


# What browsers call a picture that comes from the clipboard.
_UNNAMED = frozenset(("image.png", "image.jpg", "image.jpeg", "image.gif", "image.webp"))
_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/avif": "avif",
    "image/svg+xml": "svg",
}


def _obsidian(roots: Roots, root: str) -> str:
    """Read `attachmentFolderPath` from the settings that Obsidian keeps in a vault."""
    disk, _ = roots.at(roots.joined(root, "x"))
    try:
        descriptor = open_beneath(disk.descriptor, OBSIDIAN_FILE, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        found = json.loads(os.read(descriptor, OBSIDIAN_BYTES_MAX))
    except (OSError, ValueError, RecursionError, CommonplaceError):
        return ""
    finally:
        os.close(descriptor)
    folder = (
        cast("dict[str, object]", found).get("attachmentFolderPath")
        if isinstance(found, dict)
        else ""
    )
    return folder if isinstance(folder, str) else ""
