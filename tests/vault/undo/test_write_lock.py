"""While what an assistant did is taken back, its writes wait."""

import anyio
import pytest

from commonplace.errors import Unavailable
from commonplace.vault.undo import write_lock
from commonplace.vault.undo.write_lock import WriteLock

pytestmark = pytest.mark.anyio


async def test_a_write_waits_until_the_undo_is_through_and_others_do_not() -> None:
    lock, done = WriteLock(), list[str]()

    async def write(name: str) -> None:
        async with lock.write(name):
            done.append(name)

    async with anyio.create_task_group() as tasks, lock.hold("Claude"):
        tasks.start_soon(write, "Claude")
        await write("Mira")
        await anyio.wait_all_tasks_blocked()
        assert done == ["Mira"]
        done.append("undone")
    assert done == ["Mira", "undone", "Claude"]


async def test_an_undo_waits_for_the_write_that_is_under_way() -> None:
    lock, done = WriteLock(), list[str]()
    begun, go_on = anyio.Event(), anyio.Event()

    async def write() -> None:
        async with lock.write("Claude"):
            begun.set()
            await go_on.wait()
            done.append("written")

    async def undo() -> None:
        async with lock.hold("Claude"):
            done.append("undone")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await begun.wait()
        tasks.start_soon(undo)
        await anyio.wait_all_tasks_blocked()
        assert done == []
        go_on.set()
    assert done == ["written", "undone"]


async def test_neither_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_lock, "UNDER_WAY_SECONDS_MAX", 0.01)
    monkeypatch.setattr(write_lock, "LOCK_SECONDS_MAX", 0.01)
    lock = WriteLock()
    async with lock.write("Claude"), lock.hold("Claude"):
        with pytest.raises(Unavailable, match="taking back what you did"):
            async with lock.write("Claude"):
                pytest.fail("it was let in")
    async with lock.write("Claude"):
        pass
