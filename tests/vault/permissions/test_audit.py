"""The record of writes: in order, bounded, and there after a restart."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.vault.log.late_records import Afterwards
from commonplace.vault.log.log import Log
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions import audit as module
from commonplace.vault.permissions.audit import Audit, AuditEntry

pytestmark = pytest.mark.anyio


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[Log]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield log


async def write(audit: Audit, path: str) -> None:
    await audit.write("Claude", "create", path, answer="allow", by="settings", outcome="done")


async def test_the_latest_come_first_and_are_kept(log: Log) -> None:
    times = iter((1.0, 2.0, 3.0))
    audit = Audit(Afterwards(log), lambda: next(times))
    for path in ("a.md", "é.md", "c.md"):
        await write(audit, path)
    newest = AuditEntry(3.0, "Claude", "create", "c.md", "allow", "settings", "done")
    assert audit.latest(1) == [newest]
    again = Audit(Afterwards(log))
    assert again.latest(5) == [], "nothing is loaded yet"
    await again.load()
    assert [each.path for each in again.latest(5)] == ["c.md", "é.md", "a.md"]
    assert again.latest(0) == []


async def test_the_oldest_go_and_numbers_go_on(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ENTRIES_MAX", 2)
    audit = Audit(Afterwards(log))
    for number in range(4):
        await write(audit, f"{number}.md")
    again = Audit(Afterwards(log))
    await write(again, "late.md")
    assert [each.path for each in again.latest(9)] == ["late.md", "3.md"]
    assert sorted(await log.records("audit")) == ["000000000004", "000000000005"]
