"""Records that come late when the disk fails."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from commonplace.vault.log import late_records as module
from commonplace.vault.log.late_records import Afterwards
from tests.vault.log.troubled_log import TroubledLog
from tests.wait import becomes, eventually

pytestmark = pytest.mark.anyio

LONG = "x" * 20_000


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[TroubledLog]:
    async with TroubledLog(tmp_path / "live.db") as log:
        await log.put_record("kind", "before", "1")
        yield log


def counted(log: TroubledLog, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that grows by a key with every record that is tried."""
    tries: list[str] = []
    put = log.put_record

    async def put_record(kind: str, key: str, value: str | None) -> None:
        tries.append(key)
        await put(kind, key, value)

    monkeypatch.setattr(log, "put_record", put_record)
    return tries


async def test_what_cannot_be_kept_now_is_kept_when_the_disk_has_room(
    log: TroubledLog, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.02)
    kept = Afterwards(log)
    log.fill()
    await kept.put("kind", "late", LONG)
    await kept.put("kind", "other", LONG)
    tries = counted(log, monkeypatch)
    await eventually(lambda: len(tries) >= 2)
    assert await kept.records("kind") == {"before": "1"}
    assert "will be kept later" in caplog.text
    log.free()
    await becomes(lambda: kept.records("kind"), {"before": "1", "late": LONG, "other": LONG})
    await kept.close()


async def test_an_older_value_never_comes_behind_a_newer_one(
    log: TroubledLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.02)
    kept = Afterwards(log)
    log.fill()
    await kept.put("kind", "late", LONG)
    log.free()
    await kept.put("kind", "late", "newer")
    await kept.close()  # tries all that is left
    assert (await kept.records("kind"))["late"] == "newer"


async def test_what_is_left_at_the_end_is_tried_once_more(
    log: TroubledLog, caplog: pytest.LogCaptureFixture
) -> None:
    kept = Afterwards(log)
    log.fill()
    await kept.put("kind", "late", LONG)
    log.free()
    await kept.close()
    assert (await kept.records("kind"))["late"] == LONG
    lost = Afterwards(log)
    log.fill()
    await lost.put("kind", "lost", LONG * 2)
    await lost.close()
    assert "1 records of what was done could not be kept" in caplog.text
