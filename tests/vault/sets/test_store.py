"""Sets and their writes, kept as records of the log and found in memory."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Log
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.sets import store as module
from commonplace.vault.sets.change_set import ChangeSet, Write
from commonplace.vault.sets.store import SetStore

pytestmark = pytest.mark.anyio


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[Log]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield log


async def opened(log: Log) -> SetStore:
    found = SetStore(Afterwards(log))
    await found.load()
    return found


def a_set(key: str = "claude") -> ChangeSet:
    return ChangeSet(0, key, key.title(), 1.0)


def a_write(number: int, time: float, parked: int | None = None) -> Write:
    return Write(0, number, "suggested", "edit", "d1", "a.md", "process:1", time, parked)


async def test_what_was_kept_is_there_after_reopening(log: Log) -> None:
    first = await opened(log)
    one, other = await first.begin(a_set()), await first.begin(a_set("bo"))
    assert (one.number, other.number) == (1, 2)
    made = [await first.add(a_write(1, 5.0)), await first.add(a_write(1, 7.0, parked=3))]
    again = await opened(log)
    assert again.of_set(1) == made == first.of_set(1)
    assert again.of_assistant("claude") == [one]
    assert (again.last(1), again.last(2)) == (7.0, 1.0)
    assert again.at("d1", "process:1", 5.0) == made[0]
    assert again.parked(3) == made[1]
    assert again.at("d1", "process:1", 6.0) is None
    assert again.parked(4) is None
    assert (await again.add(a_write(2, 9.0))).id == 3, "a number is never given again"


async def test_the_number_of_a_set_that_is_gone_is_not_given_again(log: Log) -> None:
    first = await opened(log)
    one = await first.begin(a_set())
    write = await first.add(a_write(one.number, 5.0, parked=3))
    await first.drop(one.number)
    for kept in (first, await opened(log)):
        assert kept.sets == {}
        assert kept.of_set(1) == []
        assert kept.of_assistant("claude") == []
        assert kept.at(*write.place) is None
        assert kept.parked(3) is None
    assert (await (await opened(log)).begin(a_set())).number == 2


async def test_writes_go_to_another_set_in_their_order_and_an_empty_one_is_dropped(
    log: Log,
) -> None:
    kept = await opened(log)
    for _ in range(2):
        await kept.begin(a_set())
    early, late = await kept.add(a_write(1, 5.0)), await kept.add(a_write(2, 7.0))
    await kept.put([replace(early, set=2, outcome="accepted")])
    for found in (kept, await opened(log)):
        assert [(each.id, each.outcome) for each in found.of_set(2)] == [
            (early.id, "accepted"),
            (late.id, ""),
        ]
        assert list(found.sets) == [2]


async def test_a_set_is_kept_as_it_is_now(log: Log) -> None:
    kept = await opened(log)
    one = await kept.begin(a_set())
    await kept.change(replace(one, title="Émigrés", said_ready=True))
    assert (await opened(log)).sets[1].title == "Émigrés"


async def test_the_oldest_sets_go_when_there_are_too_many_writes(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WRITES_MAX", 3)
    kept = await opened(log)
    for number in (1, 2):
        await kept.begin(a_set())
        for at in range(2):
            await kept.add(a_write(number, float(10 * number + at)))
    assert list(kept.sets) == [2]
    for at in range(4):
        await kept.add(a_write(2, 50.0 + at))
    assert len(kept.of_set(2)) == 6, "the last set stays, however many its writes"
