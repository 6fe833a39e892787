from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.errors import Conflict, Forbidden, NotFound, Unavailable
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.open import open_vault
from commonplace.vault.permissions import approvals as module
from commonplace.vault.permissions.approvals import WAITING_SECONDS_MAX, Approvals, Parked
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

ASKER = Asker("session:1", "claude")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def log(tmp_path: Path) -> AsyncGenerator[SqliteLog]:
    log = SqliteLog(tmp_path / "live.db")
    yield log
    await log.close()


def parked(key: str = "k") -> Parked:
    return Parked(0, key, "update", "a.md", "kind", {"text": "x"}, "id", "claude", 1e6, "do it")


async def test_a_parked_write_survives_its_process_and_numbers_are_not_used_twice(log: SqliteLog):
    clock = Clock()
    first = await Approvals(log, clock).park(parked())
    again = Approvals(log, clock)
    assert await again.waiting() == [replace(parked(), id=1)] == [first]
    await again.forget(1)
    assert (await Approvals(log, clock).park(parked())).id == 2


async def test_a_write_that_nobody_answers_expires(log: SqliteLog):
    clock = Clock()
    approvals = Approvals(log, clock)
    await approvals.park(parked())
    clock.now += WAITING_SECONDS_MAX + 1
    assert await approvals.waiting() == []
    assert await approvals.find("k") is None
    with pytest.raises(NotFound, match="No write with the number 1 is waiting"):
        await approvals.get(1)
    assert await log.records("approval") == {}


async def test_a_write_is_decided_once(log: SqliteLog):
    approvals = Approvals(log, Clock())
    one = await approvals.park(parked())
    await approvals.decided(one, "denied")
    with pytest.raises(Conflict, match="decided already: denied"):
        await approvals.get(1)


async def test_the_queue_has_an_end(log: SqliteLog, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "WAITING_MAX", 2)
    heard: list[int] = []
    approvals = Approvals(log, Clock())
    approvals.listeners.append(heard.append)
    for key in "ab":
        await approvals.park(parked(key))
    with pytest.raises(Unavailable, match="2 writes wait"):
        await approvals.park(parked("c"))
    await approvals.decided((await approvals.waiting())[0], "denied")
    await approvals.park(parked("c"))
    assert heard == [1, 2, 1, 2]


async def test_a_write_parked_by_one_owner_is_done_by_the_next(
    make_settings: Callable[..., Settings], tmp_path: Path
):
    settings = make_settings({"a.md": "one\n"})
    given = {"path": "a.md", "content": "two\n"}

    async def ask(vault: Vault) -> object:
        permissions: Permissions = vault.permissions
        return await permissions.ask(
            "update_note",
            given,
            ASKER,
            lambda: vault.write.revision("a.md", "two\n", None, ASKER),
        )

    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        with pytest.raises(Forbidden, match="waits as number 1"):
            await ask(vault)
    (tmp_path / "vault/a.md").write_text("one\nand more\n")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await vault.permissions.approve(1, "Ada")
        assert await ask(vault) == {
            "path": "a.md",
            "status": "updated",
            "changes": {"content_updated": True, "frontmatter_updated": False},
            "word_count": 3,
        }
    assert (tmp_path / "vault/a.md").read_text() == "two\nand more\n"
