"""The command line: the only place that prints, exits and reads the environment.

`commonplace mcp` is started by every assistant, often, so its plain form goes straight to the
relay; click and everything else is loaded for the other commands, for help and for complaints.
"""

import gc
import os
import sys
from collections.abc import Sequence

# What is loaded stays. To look through it for garbage, now and again while it is loaded and once
# more at the end, takes much of the time of a short command.
_YOUNG_MAX = 50_000


def main() -> int:
    """Be the program; return the exit code: 0 done, 1 failed, 2 asked wrongly."""
    gc.set_threshold(_YOUNG_MAX)
    try:
        return run(sys.argv[1:])
    finally:
        gc.freeze()


def run(given: Sequence[str]) -> int:
    """Run one command."""
    if given[:1] == ["mcp"]:
        from commonplace.cli import options
        from commonplace.cli.commands.programs import stdio

        flags = options.parse(given[1:])
        if flags:
            return stdio.start(flags, os.environ)
    from commonplace.cli import group

    return group.run(given)
