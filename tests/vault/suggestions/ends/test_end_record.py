"""What ended by hand, put on record."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core import critic
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.suggestions.ends.end_record import IN_THE_FILE, Ended, EndRecord
from commonplace.vault.suggestions.ends.row_changes import pending_rows
from commonplace.vault.suggestions.ledger import Credit, Ledger

pytestmark = pytest.mark.anyio

CLAUDE, CURSOR = Credit("process:1", "Claude", 2.0), Credit("process:9", "Cursor", 3.0)


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncGenerator[Ledger]:
    log = SqliteLog(tmp_path / "live.db")
    kept = Afterwards(log)
    yield Ledger(kept)
    await kept.close()
    await log.close()


def row(marked: str) -> PendingRow:
    (found,) = pending_rows("a.md", marked, critic.suggestions(marked))
    return found


async def test_one_that_stands_in_the_place_of_another_has_its_author_too(ledger: Ledger) -> None:
    old, new = row("{++one++}"), row("{++two++}")
    await ledger.credit_to("d", {old[1]: CURSOR})
    found = Ended("a.md", [], [(old, new)], 0.0)
    await EndRecord(ledger).add("d", found, IN_THE_FILE, "{++two++}")
    credit = ledger.credit("d", new[1])
    assert credit is not None
    assert (credit.actor, credit.names) == ("process:9", f"{IN_THE_FILE}, Cursor")


async def test_one_that_came_back_keeps_its_own_author(ledger: Ledger) -> None:
    old, back = row("{++one++}"), row("{++two++}")
    await ledger.credit_to("d", {old[1]: CURSOR, back[1]: CLAUDE})
    found = Ended("a.md", [], [(old, back)], 0.0)
    await EndRecord(ledger).add("d", found, IN_THE_FILE, "{++two++}")
    assert ledger.credit("d", back[1]) == CLAUDE


async def test_an_end_is_on_record_once(ledger: Ledger) -> None:
    gone, record = row("Take {++the first++} of them."), EndRecord(ledger)
    await ledger.credit_to("d", {gone[1]: CLAUDE})
    for _ in range(2):
        await record.add(
            "d", Ended("a.md", [gone], [], 0.0), IN_THE_FILE, "Take the first of them."
        )
    (end,) = ledger.decisions(10)
    assert (end.decision, end.who, end.author) == ("accept", IN_THE_FILE, "Claude")


async def test_what_went_with_its_note_is_told_so(ledger: Ledger) -> None:
    gone = row("{++one++}")
    assert await EndRecord(ledger).since("d", [gone]) == 0.0
    await ledger.credit_to("d", {gone[1]: CLAUDE})
    assert await EndRecord(ledger).since("d", [gone]) == 2.0
    await EndRecord(ledger).add_gone("d", "a.md", [gone], 0.0)
    assert [end.decision for end in ledger.decisions(10)] == ["gone with the note"]
