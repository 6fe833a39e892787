"""What has to happen to a file that is kept in two places, from what each place holds of it.

A side is the hash of what it holds, None if it has no such file; `base` is what both last agreed
on. Whichever side differs from the base has changed. Who changed a file wins over who deleted it,
so a word is deleted only where nobody touched the file meanwhile.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

FILE_BYTES_MAX = 100 * 1024 * 1024
DELETIONS_MIN = 10
DELETED_PART = 5

Side = str | None
SyncStep = Literal[
    "nothing",
    "agree",  # both hold the same by now
    "forget",  # both are rid of it
    "fetch",  # here it is to be as there
    "send",  # there it is to be as here, merged with what changed there
    "remove_here",
    "remove_there",
    "set_aside",  # nobody can merge them: what is here gets a name of its own
    "merge_here",  # here it is to be as there, merged with what may not go there
    "keep",  # it may not go there
]


class Sides(NamedTuple):
    """What is held of one file."""

    base: Side
    here: Side
    there: Side


def next_step(sides: Sides, *, mergeable: bool) -> SyncStep:
    """Say what brings two places together; only a text can be merged."""
    base, here, there = sides
    if here == there:
        same: SyncStep = "nothing" if here == base else "agree"
        return "forget" if here is None and base is not None else same
    if here == base:
        return "remove_here" if there is None else "fetch"
    if there == base:
        return "remove_there" if here is None else "send"
    if here is None:
        return "fetch"
    if there is None:
        return "send"
    return "send" if mergeable and base is not None else "set_aside"


def moves(files: Mapping[str, Sides]) -> dict[str, str]:
    """Return the old names by the new ones, of files that plainly got another name here.

    The content tells: one that is gone here and nowhere else changed, and one that is new here.
    Where two are alike it is not plain, and both are a deletion and a new file.
    """
    gone = {path: one.base for path, one in files.items() if one.here is None and _kept(one)}
    new = {path: one.here for path, one in files.items() if one.base is None and one.there is None}
    counts = Counter([*gone.values(), *new.values()])
    by_content = {content: path for path, content in gone.items() if counts[content] == 2}
    return {path: by_content[content] for path, content in new.items() if content in by_content}


def _kept(sides: Sides) -> bool:
    return sides.base is not None and sides.there == sides.base


def lost(deleted: Iterable[str], files: Mapping[str, Sides], side: Literal["here", "there"]) -> int:
    """Count the files whose content would be gone with them; `side` is where they are gone by now.

    One that only got another name is not lost.
    """
    held = {one.here if side == "here" else one.there for one in files.values()}
    return sum(files[path].base not in held for path in deleted)


def is_too_many(deletions: int, known: int) -> bool:
    """Tell whether so many deletions at once are rather a mistake than a wish."""
    return deletions > DELETIONS_MIN and deletions * DELETED_PART > known
