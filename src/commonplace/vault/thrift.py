"""Keeps a process that runs for days small.

The C library gives every thread a heap of its own and hardly ever returns what is free in one. The
many threads that wait for disk and index here would hold tens of megabytes that way, and gain
nothing: Python lets one of them run at a time. They share one.
"""

import ctypes
import sys

_ARENA_MAX = -8  # glibc's number for it


def share_one_heap() -> None:
    """Let threads that start from now on take memory from one heap, where the system can."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        if hasattr(library, "mallopt"):  # another C library has no such heaps
            library.mallopt(_ARENA_MAX, 1)
