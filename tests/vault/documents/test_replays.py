"""Histories that take long to replay, from before updates were tried, or from a very long life."""

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from commonplace.vault.documents import trials
from commonplace.vault.documents.documents import Documents, First
from commonplace.vault.files.reader import content_sha
from commonplace.vault.log.log import THIS_UPDATE, FileRecord, LogEntry, Place
from commonplace.vault.log.sqlite import SqliteLog
from tests.core.yjs.updates import after, first, section, update
from tests.vault.documents import costly

pytestmark = pytest.mark.anyio

LEGITIMATE = update(section(900, 0, first("what Ana wrote")))
LATER = update(section(900, 14, after(900, 13, " and went on")))
SLOW_IN_ORDER = [costly.chain(8_000, 5), costly.bombs(1_500, 9, lambda _: 3, 5)]
SLOW_EITHER_WAY = [costly.chain(8_000, 5), costly.bombs(1_500, 2, lambda n: n, 5)]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield log


async def poisoned(log: SqliteLog, poison: list[bytes], base: str = "") -> str:
    """A note whose log holds what a gate without bounds once let in."""
    known = await log.identify(Place("root", "note.md"))
    for entry in (LEGITIMATE, *poison, LATER):
        await log.append(LogEntry(known.id, entry, "person:1", ()))
    if base:
        state = update(section(3, 0, first(base)))
        await log.put_disk(known.id, FileRecord(content_sha(base.encode()), state))
    return known.id


def file_of(text: str) -> First:
    return First(text, "file", FileRecord(content_sha(text.encode()), b"", seq=THIS_UPDATE))


async def test_a_history_that_is_only_slow_in_its_order_is_joined(log: SqliteLog) -> None:
    id = await poisoned(log, SLOW_IN_ORDER)
    async with Documents(log) as documents:
        text = (await documents.settled(id)).text
    assert "what Ana wrote and went on" in text
    assert len(text) == 26 + 8_000 + 1_500
    known = await log.find(id)
    assert known is not None
    assert known.epoch == 1


async def test_a_history_that_is_slow_either_way_is_begun_anew_with_its_text(
    log: SqliteLog, tmp_path: Path
) -> None:
    id = await poisoned(log, SLOW_EITHER_WAY, base="file")
    restarted: list[str] = []

    async def begin(_: str) -> First:
        return file_of("file")

    async with Documents(log, first=begin) as documents:
        documents.follow_restarts(restarted.append)
        text = (await documents.settled(id)).text
    assert "what Ana wrote and went on" in text
    assert len(text) == 26 + 8_000 + 1_500
    known = await log.find(id)
    assert known is not None
    assert known.epoch == 2
    assert restarted == [id]
    with sqlite3.connect(tmp_path / "live.db") as db:
        aside = db.execute("SELECT count(*) FROM updates WHERE doc = ?", (f"{id}~1",)).fetchone()
    assert aside == (4,)
    async with Documents(log, first=begin) as documents:  # and is quick from now on
        assert (await documents.settled(id)).text == text
        assert documents.is_live(id)
    assert restarted == [id]


async def test_what_another_program_did_to_the_file_meanwhile_is_kept_too(
    log: SqliteLog,
) -> None:
    id = await poisoned(log, SLOW_EITHER_WAY, base="what Ana wrote")

    async def begin(_: str) -> First:
        return file_of("Ben: what Ana wrote")

    async with Documents(log, first=begin) as documents:
        text = (await documents.settled(id)).text
    assert "Ben: " in text
    assert " and went on" in text


async def test_what_cannot_be_replayed_at_all_begins_anew_with_its_file(
    log: SqliteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "READING_SECONDS_MAX", 0.05)
    id = await poisoned(log, SLOW_EITHER_WAY, base="what Ana wrote")

    async def begin(_: str) -> First:
        return file_of("what Ana wrote")

    async with Documents(log, first=begin) as documents:
        assert (await documents.settled(id)).text == "what Ana wrote"


async def test_nul_in_a_log_from_before_is_shown_instead(log: SqliteLog) -> None:
    nul = update(section(900, 0, first("a\0b\0c")))
    await log.append(LogEntry("note", nul, "person:1", ()))
    async with Documents(log) as documents:
        assert (await documents.settled("note")).text == "a\u2400b\u2400c"
    async with Documents(log) as documents:
        assert (await documents.settled("note")).seq == 2
