"""What the history costs: python -m bench.history [SCALE]

Edits with and without a recorder, in turns; the first pages of long histories; an undo over 200
notes. The goals are in docs/decisions/0025.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from commonplace.core.text.edits import Edit, diff
from commonplace.vault.documents.changes import ChangeRecorder
from commonplace.vault.documents.documents import Documents
from commonplace.vault.history.history import NewRevision, RevisionFilter
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.history.sqlite import SqliteHistory
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

TEXT = "A line of some words that stand in a note, as they do.\n" * 90


async def path_of(_: str) -> str:
    return "a.md"


async def edits(folder: Path, count: int) -> None:
    """Edits of a 5 kB note, with a history and without one, in turns."""
    log = SqliteLog(folder / "live.db")
    history = SqliteHistory(folder / "history.db")
    recorder = Recorder(history, log, path_of)
    plain = Documents(log, recorder=ChangeRecorder())
    kept = Documents(log, recorder=recorder)
    running = asyncio.create_task(recorder.run())
    times: dict[str, list[float]] = {"without": [], "with": []}
    for documents, id in ((plain, "p"), (kept, "k")):
        await documents.edit(id, lambda _: [Edit(0, 0, TEXT)], "assistant:x")
    for number in range(count):
        for name, documents, id in (("without", plain, "p"), ("with", kept, "k")):
            start = time.perf_counter()
            at = number * 7 % 4_000
            await documents.edit(id, lambda _, at=at: [Edit(at, at + 4, "abcd")], f"a:{number % 2}")
            times[name].append(time.perf_counter() - start)
    running.cancel()
    before, after = (statistics.median(times[name]) * 1000 for name in ("without", "with"))
    print(f"edit, median: {before:.3f} ms without, {after:.3f} ms with: {after / before - 1:+.1%}")
    await recorder.flush()
    print(f"revisions and bytes: {await history.size()}")
    for one in (plain, kept):
        await one.close()
    await log.close()
    await history.close()


async def timed(name: str, ask: Callable[[], Awaitable[object]]) -> None:
    times: list[float] = []
    for _ in range(7):
        start = time.perf_counter()
        await ask()
        times.append(time.perf_counter() - start)
    print(f"{name}: {statistics.median(times) * 1000:.1f} ms")


async def pages(folder: Path, scale: int) -> None:
    """The first pages of long histories."""
    history = SqliteHistory(folder / "pages.db")
    for first in range(0, 1_000_000 // scale, 10_000):
        rows: list[NewRevision] = []
        for number in range(first, first + 10_000):
            one = number < 10_000
            place = ("one", "one.md") if one else (f"d{number % 997}", f"F{number % 7}/n.md")
            before = TEXT if one else ""
            when, who = float(number), f"a:{number % 5}"
            rows.append(NewRevision(*place, when, when, who, "call", "", (), before, before))
        await history.append(rows)
    print(f"revisions: {(await history.size())[0]:,}")
    await timed("a note of 10,000", lambda: history.revisions(RevisionFilter(document="one")))
    await timed("the vault", lambda: history.revisions(RevisionFilter()))
    await timed("the vault, one actor", lambda: history.revisions(RevisionFilter(actor="a:3")))
    await timed("the vault, one folder", lambda: history.revisions(RevisionFilter(folder="F3")))
    await history.close()


async def undo(folder: Path) -> None:
    """An undo over 200 notes."""
    (folder / "vault").mkdir()
    for number in range(200):
        (folder / "vault" / f"n{number:03}.md").write_text(TEXT)
    async with open_vault(Settings((Root("vault", folder / "vault"),), folder / "state")) as vault:
        await vault.indexer.settled()
        for number in range(200):
            changed = TEXT.replace("some", "other", 3)
            await vault.notes.edit(
                f"n{number:03}.md", lambda now, t=changed: diff(now, t), "assistant:x"
            )
        start = time.perf_counter()
        done = await vault.undo.undo("Ann", by="x")
        seconds = time.perf_counter() - start
        assert not done["needs_you"]
        print(f"undo over 200 notes: {seconds:.2f} s")


async def main(scale: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        await edits(Path(folder), 2_000 // scale)
        await undo(Path(folder))
        await pages(Path(folder), scale)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
