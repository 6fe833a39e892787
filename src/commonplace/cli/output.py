"""Answers on stdout: lines for people, JSON for programs."""

import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import click

from commonplace.cli.messages import log_to_stderr
from commonplace.core.text.quotation import one_line

Result = TypeVar("Result")
Function = Callable[..., Any]

TERMINAL_LINE_MAX = 2_000


def json_option(function: Function) -> Function:
    """Give a command `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def show_json(value: object) -> None:
    """Print a value as JSON, escaped where stdout has no such characters."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    click.echo(text)


def safe(text: str) -> str:
    """Make text from a vault fit for a terminal: on one line, with nothing invisible in it."""
    return one_line(" ".join(text.split()), TERMINAL_LINE_MAX)


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Run an async command to its end."""
    import anyio

    from commonplace.server.owner.error_groups import plain_errors

    async def main() -> Result:
        return await work

    log_to_stderr()
    with plain_errors():
        return anyio.run(main)


def on_terminal() -> bool:
    """Say whether a person watches stderr."""
    return sys.stderr.isatty()
