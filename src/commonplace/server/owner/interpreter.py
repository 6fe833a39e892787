"""How the interpreter is to run a server: many long-lived objects, and a second thread that saves.

Python looks through all its objects for unused ones that refer to each other each time some
hundreds were made; a server with a thousand connections then spends much of its time on that.
What was there at the start is left out for good, and the rest is looked through more seldom.

The thread that saves needs the interpreter for moments only, but waits for it at each of them as
long as the event loop is busy, up to the switch interval: everybody's edit waits as well.
"""

import gc
import itertools
import sys

_YOUNG_MAX = 50_000
_ROUNDS = (20, 20)
_SWITCH_SECONDS = 0.001
# What is left out stays in memory: a process that opens vault after vault must not do it for each.
_FREEZES_MAX = 2

_freezes = itertools.count()


def run_as_server() -> None:
    """Set the interpreter up; again when a vault is open, and then no more."""
    if next(_freezes) < _FREEZES_MAX:
        gc.freeze()
    gc.set_threshold(_YOUNG_MAX, *_ROUNDS)
    sys.setswitchinterval(_SWITCH_SECONDS)
