"""Suggestions: how long an edit takes beside the log's commits, and a list of ten thousand.

    python -m bench.suggestions

The control is the log alone, in the same run: one append and one record, the two commits that an
edit waits for. CPU is the least that the event loop's thread took for one: on a busy machine it
tells more than the clock does.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.__main__ import row
from commonplace.vault.log import Entry
from commonplace.vault.settings import Root, Settings
from commonplace.vault.sqlite_log import SqliteLog
from commonplace.vault.suggesting import Suggester
from commonplace.vault.vault import Vault
from commonplace.vault.waiting import Wanted

BY = Suggester("bench", "bench")
ROUNDS = 15

Times = tuple[float, float]


async def timed(act: Callable[[], Awaitable[object]]) -> Times:
    """Return milliseconds by the clock, and of CPU."""
    wall, cpu = time.perf_counter(), time.thread_time()
    await act()
    return (time.perf_counter() - wall) * 1e3, (time.thread_time() - cpu) * 1e3


def typical(times: list[Times]) -> Times:
    return statistics.median(wall for wall, _ in times), min(cpu for _, cpu in times)


def shown(times: Times) -> str:
    return f"{times[0]:.1f} ms, {times[1]:.1f} ms CPU"


def write_notes(folder: Path) -> None:
    sentence = "Some plain text - with dashes -- and more of it. "
    filler = (sentence * 10)[:480]
    marked = "".join(
        f"{filler}{{--cat--}}{{++dog {n}++}}\n" + (f"place{n}z " if n % 50 == 0 else "")
        for n in range(2_000)
    )
    (folder / "large.md").write_text(marked, encoding="utf-8")
    lines = "".join(f"Line {n} with place{n}z and other words.\n" for n in range(200))
    (folder / "ordinary.md").write_text(lines, encoding="utf-8")
    for note in range(400):
        text = "".join(f"{n} {{--cat {note}--}}{{++dog {n}++}} more\n" for n in range(20))
        (folder / f"waiting {note:03}.md").write_text(text, encoding="utf-8")


async def commits(folder: Path) -> Times:
    async with SqliteLog(folder / "control.db") as log:

        async def act() -> None:
            await log.append(Entry("note", b"x" * 60, "bench"))
            await log.put_record("bench", "key", "value")

        return typical([await timed(act) for _ in range(ROUNDS)])


async def edits(vault: Vault, path: str, step: int) -> Times:
    times: list[Times] = []
    for number in range(ROUNDS + 1):
        place = f"place{number * step}z"
        await vault.read(path, BY.id)
        times.append(await timed(lambda: vault.suggest(path, place, f"other{place}", BY)))  # noqa: B023
    row(f"the first edit of {path}, which makes it live", shown(times[0]), "", None)
    return typical(times[1:])


async def measure(scratch: Path) -> None:
    folder = scratch / "vault"
    folder.mkdir()
    write_notes(folder)
    control = await commits(scratch)
    row("the log alone: two commits", shown(control), "", None)
    async with Vault.open(Settings((Root("vault", folder),), scratch / "state")) as vault:
        await vault.settled()
        for path, step, goal in (("large.md", 50, 50), ("ordinary.md", 1, 10)):
            times = await edits(vault, path, step)
            beside = min(times[0] - control[0], times[1])
            row(f"edit of {path}", shown(times), f"< {goal} ms beside the log", beside < goal)
        await vault.pending_page(Wanted(), 0, 200)
        for wanted in (Wanted(), Wanted(author="bench"), Wanted(kind="replace")):
            pages = [await timed(lambda: vault.pending_page(wanted, 5_000, 200)) for _ in range(9)]  # noqa: B023
            _, total = await vault.pending_page(wanted, 0, 1)
            name = wanted.author or wanted.kind or "all"
            times = typical(pages)
            row(f"200 of {total} that wait: {name}", shown(times), "< 30 ms", min(times) < 30)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(measure(Path(scratch)))


if __name__ == "__main__":
    main()
