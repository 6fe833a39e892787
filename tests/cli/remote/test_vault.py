"""The parts of a vault of another process: each answers as the owner's own does."""

import asyncio
import json
from dataclasses import asdict

import pytest

from commonplace.errors import BadArgument, NotFound
from tests.cli.remote.conftest import Both

pytestmark = pytest.mark.anyio


async def test_status_and_search_are_the_same_from_both_sides(both: Both) -> None:
    status = await asyncio.to_thread(both.remote.health.status)
    own = both.own.health.status()
    assert {name: status[name] for name in ("roots", "index")} == {
        name: own[name] for name in ("roots", "index")
    }
    for query in ("plan", "今日", "nothing at all", "a&b=c #?"):
        found = await both.remote.search.search(query, 5)
        there = await both.own.search.search(query, 5)
        assert [json.dumps(asdict(hit)) for hit in found] == [
            json.dumps(asdict(hit)) for hit in there
        ]
    with pytest.raises(BadArgument):
        await both.remote.search.search("plan", 10_000)


async def test_the_doctor_looks_here_as_there(both: Both) -> None:
    found = await both.remote.health.diagnose()
    assert [check.name for check in found] == [
        check.name for check in await both.own.health.diagnose()
    ]


async def test_an_index_that_is_made_anew_tells_how_far_it_is(both: Both) -> None:
    (both.folder / "New.md").write_text("new words")
    steps: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        steps.append((done, total))

    await both.remote.indexer.settled()
    await both.remote.indexer.refresh(rebuild=True, progress=tell)
    assert both.own.index.about("New.md") is not None
    assert all(0 <= done <= total for done, total in steps)


async def test_a_token_is_made_and_revoked(both: Both) -> None:
    token, secret = await both.remote.tokens.create("Ben ä", "read", None, ["日記"])
    assert await both.own.tokens.verify(secret) == both.own.tokens.get(token.id)
    assert (token.name, token.scope, token.digest) == ("Ben ä", "read", "0" * 64)
    listed = await asyncio.to_thread(both.remote.tokens.listed)
    assert [each.id for each in listed] == [token.id]
    await both.remote.tokens.revoke(token.id)
    assert await both.own.tokens.verify(secret) is None
    with pytest.raises(NotFound):
        await both.remote.tokens.revoke("none")
    with pytest.raises(BadArgument):
        await both.remote.tokens.create("", "read", None)
