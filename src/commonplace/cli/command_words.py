"""The command line that starts this program again, for another program to run.

It is started with a bare environment and from any folder, so every path is absolute and every
choice is written out.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from commonplace.cli import roots
from commonplace.cli.choices import embedding_choice, store_choice
from commonplace.cli.messages import notice
from commonplace.cli.options import OPTIONS, Flags, Option, is_on
from commonplace.server.api.clients import this_program
from commonplace.vault.settings import Settings

_UNWRITTEN = (
    embedding_choice.MODELS,
    embedding_choice.KEY,
    store_choice.USER,
    store_choice.PASSWORD,
    store_choice.PASSWORD_FILE,
)
"""What is for the environment alone."""


def serving(settings: Settings, flags: Flags, command: str, *more: str) -> tuple[str, ...]:
    """Write the command that serves this vault, with what was chosen here, by flag or variable."""
    vault = flags.vault or roots.from_environment(os.environ)
    words = [*ourselves(), command, *map(roots.absolute, vault)]
    words += ["--state", str(settings.state_base)] if settings.state_base else []
    for option in OPTIONS:
        words += _words(option, flags, os.environ) if option.name != "state" else []
    if unwritten := [name for name in _UNWRITTEN if os.environ.get(name)]:
        notice(f"not written down, so set it where the program is started: {', '.join(unwritten)}.")
    return (*words, *more)


def _words(option: Option, flags: Flags, environ: Mapping[str, str]) -> list[str]:
    """Write a choice as a flag; none if there was no choice."""
    flag = flags.get(option.name)
    named = environ.get(option.variable)
    if not option.value:
        if flag is None and not named:
            return []
        on = is_on(named or "" if flag is None else flag, option.variable)
        return [option.flag if on else f"--no-{option.flag[2:]}"]
    # Policies of both count, the flag's last.
    given = [named, flag] if option.name == "policy" else [named if flag is None else flag]
    both = ",".join(each for each in given if each)
    return [option.flag, both] if both else []


def ourselves() -> tuple[str, ...]:
    """Write how this copy of the program is started."""
    words = this_program()
    if {"uv", "archive-v0"} <= set(Path(words[0]).resolve().parts):
        notice(
            "this copy runs from a cache that uv may empty. For another program to start, "
            "install it: see README, `uv tool install`."
        )
    return words
