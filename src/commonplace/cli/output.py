"""Answers on stdout: lines for people, JSON for programs."""

import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import click

from commonplace.cli.messages import log_to_stderr

Result = TypeVar("Result")
Function = Callable[..., Any]


def json_option(function: Function) -> Function:
    """Give a command `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def show_json(value: object) -> None:
    """Print a value as JSON; stdout may not be UTF-8, so JSON is kept to ASCII."""
    click.echo(json.dumps(value, indent=2))


def safe(text: str) -> str:
    """Make text from a vault fit for a terminal: no control characters, on one line."""
    flat = " ".join(text.split())
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in flat)


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Run an async command to its end."""
    import anyio

    from commonplace.server.unwrap import plain_errors

    async def main() -> Result:
        return await work

    log_to_stderr()
    with plain_errors():
        return anyio.run(main)


def on_terminal() -> bool:
    """Say whether a person watches stderr."""
    return sys.stderr.isatty()
