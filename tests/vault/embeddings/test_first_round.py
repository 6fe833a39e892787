"""Who asks while the first round goes on waits for it, within bounds."""

import anyio
import pytest

from commonplace.vault.embeddings.first_round import FirstRound

pytestmark = pytest.mark.anyio


async def waiting(first: FirstRound, order: list[str]) -> None:
    await first.wait()
    order.append("waited")


async def test_nobody_waits_for_what_has_not_begun() -> None:
    first = FirstRound(60.0)
    assert not first.is_underway
    await first.wait()
    await first.wait_for_provider()


async def test_an_answer_waits_until_all_is_embedded() -> None:
    first, order = FirstRound(60.0), list[str]()
    first.begin()
    assert first.is_underway
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(waiting, first, order)
        await anyio.wait_all_tasks_blocked()
        first.open()
        await first.wait_for_provider()
        order.append("opened")
        first.end()
    assert order == ["opened", "waited"]
    assert not first.is_underway
    await first.wait()


async def test_a_failure_lets_everybody_go() -> None:
    first = FirstRound(60.0)
    first.begin()
    first.end()
    await first.wait_for_provider()
    await first.wait()


async def test_nobody_waits_longer_than_is_allowed() -> None:
    first = FirstRound(0.0)
    first.begin()
    await first.wait()
    await first.wait_for_provider()
    assert first.is_underway
