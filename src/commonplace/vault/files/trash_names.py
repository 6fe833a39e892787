"""Where a deleted note goes: `.trash` in its root, where Obsidian puts them too."""

import os
from collections.abc import Iterator

TRASH = ".trash"
SAME_NAME_MAX = 10_000


def trash_names(path: str) -> Iterator[str]:
    """Yield the paths that a deleted note may get: its own first, then those with a number."""
    yield f"{TRASH}/{path}"
    stem, ending = os.path.splitext(path)
    for number in range(2, SAME_NAME_MAX):
        yield f"{TRASH}/{stem} {number}{ending}"
