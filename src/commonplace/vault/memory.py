"""Keeps a process that runs for days small.

The C library gives every thread a heap of its own and hardly ever returns what is free in one. The
many threads that wait for disk and index here would hold much that way, and gain
nothing: Python lets one of them run at a time. They share one. Nor does it return what lay between
other things when some work that took much is done: it is told to, whenever notes have changed and
then rest (`rest_watch`).
"""

import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

_ARENA_MAX = -8  # glibc's number for it


def share_one_heap() -> None:
    """Let threads that start from now on take memory from one heap, where the system can."""
    if (library := _glibc()) is not None:
        library.mallopt(_ARENA_MAX, 1)


def give_back() -> None:
    """Return to the system what is free, where it can be; takes some milliseconds."""
    if (library := _glibc()) is not None:
        library.malloc_trim(0)


@cache
def _glibc() -> "ctypes.CDLL | None":
    """Find the C library, if it is the one that has such heaps."""
    import ctypes  # not for a relay, which owns nothing

    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") else None
