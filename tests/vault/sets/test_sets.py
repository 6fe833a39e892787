"""Sets fill themselves as assistants write, are named by them, arranged by people, and kept."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, Conflict, NotFound
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions.requests import WriteStatus
from commonplace.vault.sets import store
from commonplace.vault.sets.change_set import GAP_SECONDS_MAX
from commonplace.vault.sets.sets import Sets
from commonplace.vault.suggestions.authorship import Suggester

pytestmark = pytest.mark.anyio

CLAUDE, CURSOR = Suggester("process:1", "Claude"), Suggester("process:2", "Cursor")


class Clock:
    """A clock that stands still until it is set."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(folder: Path, clock: Clock) -> AsyncGenerator[Sets]:
    log = SqliteLog(folder / "live.db")
    kept = Afterwards(log)
    yield Sets(kept, {"d1": "a.md", "d2": "b.md", "d3": "c.md"}.get, clock)
    await kept.close()
    await log.close()


def numbers(sets: Sets) -> list[int]:
    return [each.set for each in sets.store.writes.values()]


async def test_one_assistants_writes_with_short_gaps_are_one_set(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock()) as sets:
        await sets.suggested("d1", "a.md", CLAUDE, 0.0)
        await sets.suggested("d2", "b.md", CURSOR, 1.0)
        await sets.suggested("d2", "b.md", CLAUDE, GAP_SECONDS_MAX - 1)
        await sets.written(WriteStatus("waits", "delete", "c.md", CLAUDE.id, CLAUDE.name, 700.0, 4))
        await sets.suggested("d1", "a.md", CLAUDE, 700.0 + GAP_SECONDS_MAX)
        assert numbers(sets) == [1, 2, 1, 1, 3]


async def test_the_same_call_told_twice_is_one_write(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock()) as sets:
        await sets.suggested("d1", "a.md", CLAUDE, 0.0)
        await sets.suggested("d1", "a.md", CLAUDE, 0.0)
        assert numbers(sets) == [1]


async def test_an_assistant_names_its_set_before_or_while_it_writes(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as sets:
        named = await sets.describe("process:1", "Claude", "Garden\nterms", "They were mixed.")
        assert (named.number, named.title, named.why) == (1, "Garden terms", "They were mixed.")
        await sets.suggested("d1", "a.md", CLAUDE, clock.now + 5)
        assert numbers(sets) == [1]
        assert (await sets.describe("process:1", "Claude", "Terms", "")).number == 1
        assert (await sets.describe("process:2", "Cursor", "Other", "")).number == 2
        with pytest.raises(BadArgument, match="title is empty"):
            await sets.describe("process:1", "Claude", " ", "")


async def test_a_set_that_was_begun_takes_everything_until_it_is_finished(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as sets:
        await sets.suggested("d1", "a.md", CLAUDE, clock.now)
        begun = await sets.begin(
            CLAUDE.id, CLAUDE.name, "Mend the\nterms", "Ann asked.", conversation="c1"
        )
        assert (begun.number, begun.title, begun.conversation) == (2, "Mend the terms", "c1")
        assert (await sets.get(1)).said_ready
        await sets.suggested("d1", "a.md", CLAUDE, clock.now + 1)
        await sets.suggested("d2", "b.md", CLAUDE, clock.now + 5 * GAP_SECONDS_MAX)
        await sets.suggested("d2", "b.md", CURSOR, clock.now + 6 * GAP_SECONDS_MAX)
        assert numbers(sets) == [1, 2, 2, 3]
        assert sets.holds(2)
        await sets.finish(2)
        assert not sets.holds(2)
        assert (await sets.get(2)).said_ready
        await sets.suggested("d3", "c.md", CLAUDE, clock.now + 5 * GAP_SECONDS_MAX + 1)
        assert numbers(sets) == [1, 2, 2, 3, 4]


async def test_what_comes_after_it_said_ready_is_another_set(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as sets:
        await sets.suggested("d1", "a.md", CLAUDE, clock.now)
        await sets.describe("process:1", "Claude", "Done", "", ready=True)
        assert await sets.current("process:1", "Claude") is None
        await sets.suggested("d1", "a.md", CLAUDE, clock.now + 1)
        assert numbers(sets) == [1, 2]


async def test_a_parked_write_keeps_what_became_of_it(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock()) as sets:
        for state in ("waits", "denied"):
            await sets.written(WriteStatus(state, "create", "n.md", "process:1", "Claude", 5.0, 7))
        (write,) = sets.store.writes.values()
        assert (write.kind, write.parked, write.outcome) == ("parked", 7, "rejected")
        await sets.written(
            WriteStatus("approved", "create", "x.md", "process:1", "Claude", 5.0, 99)
        )
        assert len(sets.store.writes) == 1, "a write of before there were sets is in none"


async def test_people_split_merge_and_rename(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock()) as sets:
        for document, path in (("d1", "old.md"), ("d2", "b.md"), ("d1", "old.md")):
            await sets.suggested(document, path, CLAUDE, float(len(numbers(sets))))
        with pytest.raises(NotFound):
            await sets.split(1, ["nowhere.md"])
        with pytest.raises(Conflict, match="Name only some of them"):
            await sets.split(1, ["a.md", "b.md"])
        apart = await sets.split(1, ["a.md"], "The other half")  # by the path that it has now
        assert (apart.number, numbers(sets)) == (2, [2, 1, 2])
        await sets.suggested("d3", "c.md", CLAUDE, 4.0)
        assert numbers(sets)[-1] == 1, "the assistant goes on with what is left"
        assert (await sets.rename(2, "Two")).title == "Two"
        assert (await sets.merge([1, 2])).number == 1
        assert numbers(sets) == [1, 1, 1, 1]
        with pytest.raises(NotFound, match="no change set 2"):
            await sets.get(2)


async def test_sets_of_two_assistants_are_not_merged(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock()) as sets:
        await sets.suggested("d1", "a.md", CLAUDE, 0.0)
        await sets.suggested("d2", "b.md", CURSOR, 0.0)
        with pytest.raises(Conflict):
            await sets.merge([1, 2])
        with pytest.raises(BadArgument):
            await sets.merge([1, 1])


async def test_all_of_it_outlives_a_restart_and_no_number_is_given_twice(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path, clock) as sets:
        await sets.suggested("d1", "a.md", CLAUDE, clock.now)
        await sets.suggested("d2", "b.md", CLAUDE, clock.now + 1)
        await sets.split(1, ["a.md"])
        await sets.merge([1, 2])
        await sets.describe("process:1", "Claude", "Kept", "Why not")
        before = (sets.store.sets, sets.store.writes)
    async with opened(tmp_path, clock) as again:
        await again.store.load()
        assert (again.store.sets, again.store.writes) == before
        await again.suggested("d2", "b.md", CURSOR, clock.now)
        assert numbers(again) == [1, 1, 3]


async def test_old_sets_are_let_go_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "WRITES_MAX", 3)
    async with opened(tmp_path, Clock()) as sets:
        for n in range(5):
            await sets.suggested("d1", "a.md", CLAUDE, n * 300.0 + 10_000.0 * (n > 1))
        assert numbers(sets) == [2, 2, 2]
        assert list(sets.store.sets) == [2]
    async with opened(tmp_path, Clock()) as again:
        await again.store.load()
        assert numbers(again) == [2, 2, 2]


async def test_listeners_hear_of_each_set_that_changes(tmp_path: Path) -> None:
    async with opened(tmp_path, Clock()) as sets:
        heard: list[int] = []
        stop = sets.follow(heard.append)
        await sets.suggested("d1", "a.md", CLAUDE, 0.0)
        await sets.rename(1, "One")
        await sets.send_back(1, "Keep the table")
        assert heard == [1, 1, 1]
        stop()
        await sets.rename(1, "Two")
        assert heard == [1, 1, 1]
        assert sets.store.sets[1].sent_back == "Keep the table"
