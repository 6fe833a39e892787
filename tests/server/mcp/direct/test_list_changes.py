"""A session of the older era hears that the list of notes changed, each burst once."""

import asyncio

import pytest

from commonplace.server.mcp.direct.list_changes import NOTICE, ListChanges
from commonplace.server.mcp.ports import BURST_SECONDS
from tests.server.small_vault import Shelf
from tests.wait import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_burst_is_said_once_and_a_change_of_text_not_at_all() -> None:
    shelf, said = Shelf(), list[bytes]()
    with ListChanges(shelf, said.append) as changes:
        changes.follow()
        changes.follow()  # a second time is no second follower
        assert len(shelf.listeners) == 1
        shelf.put("Reading list?.md", "only its text")
        over = asyncio.Event()
        asyncio.get_running_loop().call_later(2 * BURST_SECONDS, over.set)
        await over.wait()
        assert said == []
        for n in range(5):
            shelf.put(f"{n}.md", "new")
        assert said == []
        await eventually(lambda: said)
        shelf.remove("0.md")
        await eventually(lambda: len(said) == 2)
    assert said == [NOTICE, NOTICE]
    assert shelf.listeners == []


@pytest.mark.parametrize("leaves", [False, True])
async def test_what_is_due_is_said_at_the_end_if_somebody_listens(leaves: bool) -> None:
    shelf, said = Shelf(), list[bytes]()
    changes = ListChanges(shelf, said.append)
    changes.follow()
    shelf.put("new.md", "")
    (changes.abandon if leaves else changes.stop)()
    assert said == ([] if leaves else [NOTICE])
    changes.stop()
    shelf.put("more.md", "")
    assert len(said) == (not leaves)
