"""How far a long command has come: a bar for a person at a terminal, else a line now and then."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from commonplace.cli.messages import notice
from commonplace.cli.output import on_terminal

_SECONDS_BETWEEN_LINES = 2.0

ReportProgress = Callable[[int, int], None]


@contextmanager
def shown(what: str) -> Generator[ReportProgress]:
    """Give a function that shows `done` of `total`."""
    if on_terminal():
        with _bar(what) as progress:
            yield progress
    else:
        yield _lines(what)


@contextmanager
def _bar(what: str) -> Generator[ReportProgress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress as Bar,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(what: str) -> ReportProgress:
    told = time.monotonic()

    def progress(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > _SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            notice(f"{what}: {done} of {total}")

    return progress
