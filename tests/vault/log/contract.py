"""What every implementation of the log must hold.

A subclass named `Test…` says how to open one, and how to make its writes fail and work again.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.errors import Conflict, NotFound, Unavailable
from commonplace.vault.log.log import Author, FileRecord, Log, LogEntry, Place, Record

BIG = b"x" * 10_000
DISK = FileRecord(b"sha", b"base", None, None, 1, 2, 3)


def entry(update: bytes, document: str = "note", actor: str = "ana") -> LogEntry:
    return LogEntry(document, update, actor)


@pytest.mark.anyio
class LogContract:
    """The tests; `open_log`, `fill` and `free` are the implementation's."""

    def open_log(self, folder: Path) -> Log:
        raise NotImplementedError

    def fill(self, log: Log) -> None:
        """Make every write that needs room fail."""
        raise NotImplementedError

    def free(self, log: Log) -> None:
        """Make writes work again."""
        raise NotImplementedError

    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    async def log(self, tmp_path: Path) -> AsyncIterator[Log]:
        async with self.opened(tmp_path) as log:
            yield log

    @asynccontextmanager
    async def opened(self, folder: Path) -> AsyncGenerator[Log]:
        log = self.open_log(folder)
        try:
            yield log
        finally:
            await log.close()

    async def test_a_document_without_history_replays_as_nothing(self, log: Log) -> None:
        replay = await log.replay("note")
        assert (replay.updates, replay.authors, replay.seq, replay.tail) == ((), (), 0, 0)

    async def test_appends_are_replayed_in_their_order(self, log: Log) -> None:
        updates = [str(number).encode() for number in range(300)]
        numbers = await asyncio.gather(*[log.append(entry(update)) for update in updates])
        replay = await log.replay("note")
        assert list(replay.updates) == updates
        assert numbers == sorted(set(numbers))
        assert (replay.seq, replay.tail) == (numbers[-1], 300)

    async def test_documents_do_not_mix(self, log: Log) -> None:
        one, two = log.append(entry(b"1", "one")), log.append(entry(b"2", "two"))
        await asyncio.gather(one, two)
        assert (await log.replay("one")).updates == (b"1",)
        assert (await log.replay("two")).updates == (b"2",)

    async def test_what_was_acknowledged_is_there_after_reopening(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as log:
            await log.append(LogEntry("note", b"1", "ana", (Author(7, "ana", ours=True),), DISK))
        async with self.opened(tmp_path) as log:
            replay = await log.replay("note")
            assert (replay.updates, replay.authors) == ((b"1",), (Author(7, "ana", ours=True),))
            assert await log.disk("note") == DISK

    async def test_closing_saves_what_waits(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as log:
            waiting = [log.append(entry(str(number).encode())) for number in range(50)]
        assert len(await asyncio.gather(*waiting)) == 50
        async with self.opened(tmp_path) as log:
            assert (await log.replay("note")).tail == 50

    async def test_a_closed_log_takes_nothing(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as log:
            pass
        with pytest.raises(Unavailable):
            log.append(entry(b"1"))

    async def test_the_first_author_of_a_client_id_stays(self, log: Log) -> None:
        big = 2**53 - 1
        await log.append(LogEntry("note", b"1", "ana", (Author(big, "ana", ours=False),)))
        await log.append(LogEntry("note", b"2", "eve", (Author(big, "eve", ours=True),)))
        assert (await log.replay("note")).authors == (Author(big, "ana", ours=False),)

    async def test_a_state_takes_the_place_of_what_it_covers(self, log: Log) -> None:
        numbers = [await log.append(entry(update)) for update in (b"1", b"2", b"3")]
        await log.compact("note", numbers[1], b"1+2")
        replay = await log.replay("note")
        assert (replay.updates, replay.seq, replay.tail) == ((b"1+2", b"3"), numbers[2], 1)
        await log.compact("note", numbers[2], b"1+2+3")
        assert (await log.replay("note")).updates == (b"1+2+3",)

    async def test_changes_are_listed_with_actor_and_cause_until_compacted(self, log: Log) -> None:
        first = await log.append(LogEntry("note", b"1", "ana", cause="typing"))
        await log.append(LogEntry("note", b"2", "bob", cause="call"))
        assert [(each.update, each.actor, each.cause) for each in await log.since("note", 0)] == [
            (b"1", "ana", "typing"),
            (b"2", "bob", "call"),
        ]
        await log.compact("note", first, b"1")
        assert [each.update for each in await log.since("note", 0)] == [b"2"]
        assert await log.since("other", 0) == []

    async def test_records_are_saved_with_a_change_or_not_at_all(self, log: Log) -> None:
        kept = Record("intent", "x", "1"), Record("intent", "y", "2")
        await log.append(LogEntry("note", b"1", "ana", records=kept))
        assert await log.records("intent") == {"x": "1", "y": "2"}
        self.fill(log)
        gone = tuple(Record("intent", key, None) for key in "xy")
        with pytest.raises(Unavailable):
            await log.append(LogEntry("note", BIG, "ana", records=gone))
        self.free(log)
        assert await log.records("intent") == {"x": "1", "y": "2"}
        await log.put_records([Record("intent", "x", None), Record("intent", "z", "3")])
        assert await log.records("intent") == {"y": "2", "z": "3"}
        assert await log.records_of("intent", "z") == {"z": "3"}
        assert await log.records_of("intent", "") == {"y": "2", "z": "3"}

    async def test_numbers_never_come_again(self, log: Log) -> None:
        last = await log.append(entry(b"1"))
        await log.compact("note", last, b"state")
        assert await log.append(entry(b"2")) > last
        assert (await log.replay("note")).updates == (b"state", b"2")

    async def test_an_append_that_fails_is_not_acknowledged_and_not_kept(self, log: Log) -> None:
        await log.append(entry(b"1"))
        self.fill(log)
        with pytest.raises(Unavailable):
            await log.append(entry(BIG))
        assert (await log.replay("note")).updates == (b"1",)

    async def test_appends_work_again_as_soon_as_there_is_room(self, log: Log) -> None:
        await log.append(entry(b"1"))
        self.fill(log)
        with pytest.raises(Unavailable):
            await log.append(entry(BIG))
        self.free(log)
        await log.replay("note")
        await log.append(entry(BIG))
        assert (await log.replay("note")).updates == (b"1", BIG)

    async def test_nothing_is_saved_on_top_of_what_was_not(self, log: Log) -> None:
        await log.append(entry(b"1"))
        self.fill(log)
        failed = log.append(entry(BIG))
        with pytest.raises(Unavailable):
            await failed
        self.free(log)
        for follows in (
            log.append(entry(b"builds on it")),
            log.compact("note", 99, b"state with it"),
            log.put_disk("note", DISK),
        ):
            with pytest.raises(Unavailable):
                await follows
        await log.append(entry(b"2", "another"))
        assert (await log.replay("note")).updates == (b"1",)
        assert await log.append(entry(b"2")) > 0

    async def test_a_failure_of_something_else_does_not_hold_up_appends(self, log: Log) -> None:
        number = await log.append(entry(b"1"))
        self.fill(log)
        with pytest.raises(Unavailable):
            await log.compact("note", number, BIG)
        self.free(log)
        await log.append(entry(b"2"))
        assert (await log.replay("note")).updates == (b"1", b"2")

    async def test_every_append_of_a_failed_batch_fails(self, log: Log) -> None:
        await log.append(entry(b"1"))
        self.fill(log)
        appends = [log.append(entry(BIG, str(number % 3))) for number in range(30)]
        results = await asyncio.gather(*appends, return_exceptions=True)
        assert all(isinstance(result, Unavailable) for result in results)
        for number in range(3):
            assert (await log.replay(str(number))).updates == ()

    async def test_one_who_gives_up_waiting_harms_nobody(self, log: Log) -> None:
        first, second = log.append(entry(b"1")), log.append(entry(b"2"))
        first.cancel()
        await second
        assert (await log.replay("note")).updates == (b"1", b"2")

    async def test_the_disk_record_is_the_last_one_put(self, log: Log) -> None:
        assert await log.disk("note") is None
        await log.append(LogEntry("note", b"1", "file", disk=DISK))
        assert await log.disk("note") == DISK
        later = FileRecord(b"2", b"state", b"3", b"intended", 4, 5, 6, 7, b"before", 8.5)
        await log.put_disk("note", later)
        assert await log.disk("note") == later

    async def test_documents_whose_files_may_be_behind_are_told(self, log: Log) -> None:
        number = await log.append(LogEntry("imported", b"1", "file", disk=DISK))
        await log.append(LogEntry("in step", b"1", "file", disk=replace(DISK, seq=number + 1)))
        await log.append(entry(b"1", "without a file"))
        await log.put_disk("intended", replace(DISK, intent_sha=b"2", intent=b"3"))
        assert await log.unflushed() == ["imported", "intended"]
        await log.put_disk("imported", replace(DISK, seq=number))
        await log.put_disk("intended", DISK)
        assert await log.unflushed() == []
        number = await log.append(entry(b"2", "in step"))
        assert await log.unflushed() == ["in step"]
        await log.compact("in step", number, b"state")
        assert await log.unflushed() == ["in step"]

    async def test_a_place_has_one_document(self, log: Log) -> None:
        known = await log.identify(Place("notes", "a.md"))
        assert known.epoch == 1
        assert await log.identify(Place("notes", "a.md")) == known
        assert await log.find(known.id) == known
        other = await log.identify(Place("other", "a.md"))
        assert other.id != known.id
        assert await log.known() == [known, other]
        assert await log.find("nobody") is None
        assert await log.at(Place("notes", "a.md")) == known
        assert await log.at(Place("notes", "b.md")) is None

    async def test_many_places_get_their_ids_in_one_step(self, log: Log) -> None:
        known = await log.identify(Place("notes", "2.md"))
        places = [Place("notes", f"{number}.md") for number in range(5)]
        found = await log.identify_all([*places, places[0]])
        assert [one.place for one in found] == [*places, places[0]]
        assert found[2] == known
        assert found[5] == found[0]
        assert len({one.id for one in found}) == 5
        assert [await log.identify(place) for place in places] == found[:5]
        assert await log.identify_all([]) == []

    async def test_an_id_survives_renames_and_reopening(self, tmp_path: Path) -> None:
        async with self.opened(tmp_path) as log:
            known = await log.identify(Place("", "a.md"))
            await log.move({known.id: Place("", "Sub/b.md")})
        async with self.opened(tmp_path) as log:
            assert (await log.identify(Place("", "Sub/b.md"))).id == known.id
            assert (await log.identify(Place("", "a.md"))).id != known.id

    async def test_documents_can_swap_places(self, log: Log) -> None:
        one, two = [await log.identify(Place("", path)) for path in ("1.md", "2.md")]
        await log.move({one.id: two.place, two.id: one.place})
        assert (await log.identify(Place("", "1.md"))).id == two.id
        assert (await log.identify(Place("", "2.md"))).id == one.id

    async def test_a_place_that_is_taken_is_a_conflict_and_nothing_moves(self, log: Log) -> None:
        one, two = [await log.identify(Place("", path)) for path in ("1.md", "2.md")]
        with pytest.raises(Conflict):
            await log.move({one.id: Place("", "2.md"), "new": Place("", "3.md")})
        assert await log.known() == [one, two]

    async def test_a_document_can_leave_the_vault_and_come_back(self, log: Log) -> None:
        known = await log.identify(Place("", "a.md"))
        await log.move({known.id: None})
        assert (await log.identify(Place("", "a.md"))).id != known.id
        await log.move({known.id: Place("", "b.md"), "chosen": None})
        found = await log.find(known.id)
        assert found is not None
        assert found.place == Place("", "b.md")
        assert await log.find("chosen") is not None

    async def test_a_new_epoch_begins_without_history(self, log: Log) -> None:
        known = await log.identify(Place("", "a.md"))
        number = await log.append(
            LogEntry(known.id, b"1", "ana", (Author(7, "ana", ours=True),), DISK)
        )
        await log.compact(known.id, number, b"state")
        assert await log.restart(known.id) == 2
        assert (await log.replay(known.id)).updates == ()
        assert (await log.replay(known.id)).authors == ()
        assert await log.disk(known.id) is None
        with pytest.raises(NotFound):
            await log.restart("nobody")

    async def test_records_are_remembered_by_kind_and_key(self, log: Log) -> None:
        await log.put_record("token", "b", "2")
        await log.put_record("token", "a", "1")
        await log.put_record("approval", "a", "3")
        await log.put_record("token", "b", "4")
        assert await log.records("token") == {"a": "1", "b": "4"}
        assert await log.record("approval", "a") == "3"
        await log.put_record("token", "a", None)
        assert await log.record("token", "a") is None

    async def test_a_log_that_is_not_overrun_is_not_full(self, log: Log) -> None:
        assert not log.full
