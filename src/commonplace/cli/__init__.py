"""The command line: the only place that prints, exits and reads the environment.

`commonplace mcp` is started by every assistant, often, so its plain form goes straight to the
relay; click and everything else is loaded for the other commands, for help and for complaints.
"""

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give the exit code: 0 done, 1 failed, 2 asked wrongly."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["mcp"]:
        from commonplace.cli import options
        from commonplace.cli.commands.programs import stdio

        flags = options.parse(given[1:])
        if flags:
            return stdio.start(flags, os.environ)
    from commonplace.cli.group import run

    return run(given)
