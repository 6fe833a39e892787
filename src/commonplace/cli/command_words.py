"""The command line that starts this program again, for another program to run.

It is started with a bare environment and from any folder, so every path is absolute and every
choice is written out.
"""

import os
import shutil
import sys
from pathlib import Path

from commonplace.cli import roots
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags
from commonplace.vault.settings import FAMILIES, Settings


def serving(settings: Settings, flags: Flags, command: str, *more: str) -> tuple[str, ...]:
    """Write the command that serves this vault, with the flags that were given here."""
    vault = flags.vault or roots.from_environment(os.environ)
    words = [*ourselves(), command, *map(roots.absolute, vault)]
    words += ["--state", str(settings.state_base)] if settings.state_base else []
    words += ["--tools", ",".join(settings.families)] if settings.families != FAMILIES else []
    words += ["--read-only"] if flags.read_only else []
    words += ["--always-load", flags.always_load] if flags.always_load else []
    words += ["--policy", flags.policy] if flags.policy else []
    words += ["--embeddings", flags.embeddings] if flags.embeddings else []
    return (*words, *more)


def ourselves() -> tuple[str, ...]:
    """Write how this copy of the program is started."""
    script = Path(sys.argv[0]).absolute()
    if script.name == "commonplace" and script.is_file():
        if {"uv", "archive-v0"} <= set(script.resolve().parts):
            notice(
                "this copy runs from a cache that uv may empty. For another program to start, "
                "install it: see README, `uv tool install`."
            )
        return (str(script),)
    found = shutil.which("commonplace")
    return (found,) if found else (sys.executable, "-m", "commonplace")
