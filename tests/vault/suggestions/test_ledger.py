"""The ledger's rows as they are kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.suggestions import ledger as ledgers
from commonplace.vault.suggestions.ledger import Decision, Ledger, decision_of, plain

pytestmark = pytest.mark.anyio

ONE = Decision(
    time=2.0,
    who="Ann",
    decision="accept",
    document="d1",
    path="Garden/Tools and notes.md",
    id="a1",
    old="spade",
    new="shovel",
    author="Claude",
    actor="process:1234",
    reason="",
    actors=("process:1234", "process:5678"),
    made=1.0,
)


def test_a_kept_decision_is_the_same_again() -> None:
    assert decision_of(json.loads(json.dumps(plain(ONE)))) == ONE


def test_kept_decisions_share_what_they_have_in_common() -> None:
    """Ten thousand are in memory: each with texts of its own took twice as much."""
    one, other = map(decision_of, json.loads(json.dumps([plain(ONE)] * 2)))
    assert one is not other
    assert one.path is other.path
    assert one.actors[1] is other.actors[1]


def test_a_decision_that_an_older_program_kept_is_read() -> None:
    kept = {name: value for name, value in plain(ONE).items() if name not in ("actors", "by")}
    assert decision_of(kept).actors == ()


async def test_what_ended_takes_no_more_memory_than_there_is_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By number alone, ten thousand ends of a megabyte each would fill a machine."""
    monkeypatch.setattr(ledgers, "_CHARACTERS_MAX", 1_000)
    ends = [replace(ONE, time=float(n), old="", new="x" * 300) for n in range(5)]
    async with SqliteLog(tmp_path / "live.db") as log:
        first, second = Ledger(Afterwards(log)), Ledger(Afterwards(log))
        await first.decide(ends[:2])
        await first.decide(ends[2:])
        await second.load()
        for ledger in (first, second):
            assert [one.time for one in ledger.decisions(10)] == [4.0, 3.0, 2.0]
        await first.decide([replace(ONE, time=9.0, new="x" * 5_000)])
        assert [one.time for one in first.decisions(10)] == [9.0]
        await first.rewrite(lambda one: replace(one, old="", new=""))
        await first.decide(ends[:3])
        assert len(first.decisions(10)) == 4


async def test_a_decision_that_is_put_on_record_late_hides_none_that_was_made_after_it(
    tmp_path: Path,
) -> None:
    """One that a crash cut short is on record after others, at the time at which it was made."""
    log = SqliteLog(tmp_path / "live.db")
    kept = Afterwards(log)
    ledger = Ledger(kept)
    later, late = replace(ONE, time=3.0), replace(ONE, time=1.0, document="d2", path="b.md")
    await ledger.decide([later])
    await ledger.decide([late])
    assert ledger.ended("d1", ONE.path, since=2.0) == [later]
    assert ledger.ended("d2", "b.md", since=2.0) == []  # the control
    log_rows = await ledger.enter([replace(late, time=0.5)])
    assert [json.loads(row.value or "")[0]["time"] for row in log_rows] == [0.5]
    assert ledger.ended("d1", ONE.path, since=2.0) == [later]
    assert ledger.decisions(1) == [later]
    await kept.close()
    await log.close()
