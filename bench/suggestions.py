"""Suggestions: how long an edit takes beside the log's commits, and a list of ten thousand.

    python -m bench.suggestions

The control is the log alone, in the same run: one append and one record, the two commits that an
edit waits for; for the first edit of a note, which makes it live, the commit of its text as well.
CPU is the least that the event loop's thread took for one: on a busy machine it tells more than
the clock does.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from bench.__main__ import row
from commonplace.server.owner.interpreter import run_as_server
from commonplace.vault.log.log import FileRecord, LogEntry
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.pending import SuggestionFilter
from commonplace.vault.suggestions.suggest import Suggester
from commonplace.vault.vault import Vault

BY = Suggester("bench", "bench")
ROUNDS = 15
FIRST_ROUNDS = 5

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


def write_edited(folder: Path) -> None:
    """Write notes to edit: each another text, so that no answer is known from one before."""
    sentence = "Some plain text - with dashes -- and more of it. "
    filler = (sentence * 10)[:480]
    for number in range(FIRST_ROUNDS + 1):
        marked = "".join(
            f"{filler}{{--cat {number}--}}{{++dog {n}++}}\n"
            + (f"place{n}z " if n % 50 == 0 else "")
            for n in range(2_000)
        )
        (folder / f"large {number}.md").write_text(marked, encoding="utf-8")
        lines = "".join(f"Line {n} with place{n}z and {number} words.\n" for n in range(200))
        (folder / f"ordinary {number}.md").write_text(lines, encoding="utf-8")


def write_waiting(folder: Path) -> None:
    """Write ten thousand suggestions."""
    for note in range(500):
        text = "".join(f"{n} {{--cat {note}--}}{{++dog {n}++}} more\n" for n in range(20))
        (folder / f"waiting {note:03}.md").write_text(text, encoding="utf-8")


async def commits(folder: Path, text: bytes = b"") -> Times:
    """Measure what an edit waits for in the log; with a text, what the first one does."""
    disk = FileRecord(b"hash", text)
    async with SqliteLog(folder / f"control {len(text)}.db") as log:

        async def act(number: int) -> None:
            note = f"note {number}"
            if text:
                await log.append(LogEntry(note, text, "bench", (), disk))
            await log.append(LogEntry(note, b"x" * 60, "bench"))
            await log.put_record("bench", "key", "value")

        return typical([await timed(partial(act, number)) for number in range(ROUNDS)])


async def edits(vault: Vault, path: str, step: int) -> list[Times]:
    times: list[Times] = []
    for number in range(ROUNDS):
        place = f"place{number * step}z"
        await vault.reader.read(path, BY.id, BY.name)
        suggest = partial(vault.suggestions.suggest, path, place, f"other{place}", BY)
        times.append(await timed(suggest))
    return times


def judge(what: str, times: Times, control: Times, goal: int, *, beside_log: bool) -> None:
    row(f"the log alone, for {what}", shown(control), "", None)
    taken = times[0] - control[0] if beside_log else times[0]
    row(what, shown(times), f"< {goal} ms{' beside the log' * beside_log}", taken < goal)


async def measure_edits(
    vault: Vault, scratch: Path, kind: str, step: int, goal: int, *, beside_log: bool = False
) -> None:
    held = partial(judge, goal=goal, beside_log=beside_log)
    first: list[Times] = []
    for number in range(FIRST_ROUNDS):
        path = f"{kind} {number}.md"
        await vault.reader.read(path, BY.id, BY.name)
        first.append(
            await timed(partial(vault.suggestions.suggest, path, "place0z", "another", BY))
        )
        await vault.notes.queue.flush_all()
    text = (vault.settings.roots[0].path / f"{kind} {FIRST_ROUNDS}.md").read_bytes()
    held(f"first edit of a note, {kind}", typical(first), await commits(scratch, text))
    later = typical((await edits(vault, f"{kind} {FIRST_ROUNDS}.md", step))[1:])
    held(f"later edit of a note, {kind}", later, await commits(scratch))


async def measure_lists(vault: Vault) -> None:
    await vault.reader.read("waiting 000.md", BY.id, BY.name)
    await vault.suggestions.suggest("waiting 000.md", " more\n1 ", " less\n1 ", BY)
    await vault.pending.page(SuggestionFilter(), 0, 200)
    for wanted in (
        SuggestionFilter(),
        SuggestionFilter(author="bench"),
        SuggestionFilter(kind="replace"),
    ):
        page = partial(vault.pending.page, wanted, 5_000, 200)
        times = typical([await timed(page) for _ in range(9)])
        _, total = await vault.pending.page(wanted, 0, 1)
        name = wanted.author or wanted.kind or "all"
        row(f"200 of {total} that wait: {name}", shown(times), "< 30 ms", min(times) < 30)


@asynccontextmanager
async def opened(scratch: Path, write: Callable[[Path], None]) -> AsyncGenerator[Vault]:
    folder = scratch / write.__name__
    folder.mkdir()
    write(folder)
    async with open_vault(
        Settings((Root("vault", folder),), scratch / f"state of {folder.name}")
    ) as vault:
        await vault.indexer.settled()
        yield vault


async def measure(scratch: Path) -> None:
    run_as_server()
    async with opened(scratch, write_waiting) as vault:
        await measure_lists(vault)
    async with opened(scratch, write_edited) as vault:
        await measure_edits(vault, scratch, "large", 50, 50)
        await measure_edits(vault, scratch, "ordinary", 1, 10, beside_log=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(measure(Path(scratch)))


if __name__ == "__main__":
    main()
