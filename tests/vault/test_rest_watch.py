"""Memory is given back once notes have changed and then rest."""

import anyio
import pytest

from commonplace.core import critic
from commonplace.vault import rest_watch
from commonplace.vault.rest_watch import RestWatch
from tests.wait import eventually

pytestmark = pytest.mark.anyio


async def test_it_waits_until_nothing_changes_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    rests: list[anyio.Event] = []

    async def rest(_: float) -> None:
        rests.append(anyio.Event())
        await rests[-1].wait()

    monkeypatch.setattr(rest_watch, "give_back", lambda: given.append(len(rests)))
    watch = RestWatch(rest)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch.run)
        watch.heard("a change")
        await eventually(lambda: len(rests) == 1)
        watch.heard("another, meanwhile")
        rests[0].set()
        await eventually(lambda: len(rests) == 2)
        assert given == []
        rests[1].set()
        await eventually(lambda: given == [2])
        watch.heard("later")
        await eventually(lambda: len(rests) == 3)
        rests[2].set()
        await eventually(lambda: given == [2, 3])
        tasks.cancel_scope.cancel()


async def test_texts_that_were_read_go_at_a_rest() -> None:
    """A note of ten thousand suggestions, read, took 7 MB for as long as nothing else was read."""

    async def rest(_: float) -> None:
        await anyio.sleep(0)

    critic.parse("{++a note that is gone++}")
    watch = RestWatch(rest)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch.run)
        watch.heard("it is gone")
        await eventually(lambda: critic.parse.cache_info().currsize == 0)
        tasks.cancel_scope.cancel()
