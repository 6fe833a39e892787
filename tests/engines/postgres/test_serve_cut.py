"""A node whose way to the database is cut, as seen from outside: it acknowledges nothing more."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.engines.postgres.proxy import proxy_to
from tests.engines.postgres.serve_process import ServeProcess, make_key, owner_of
from tests.engines.postgres.server import PostgresServer
from tests.engines.postgres.test_serve import TEXT, document_of, shown_by
from tests.live.processes import Clients
from tests.wait import eventually

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def running(node: ServeProcess) -> AsyncGenerator[ServeProcess]:
    """Start a node while the event loop, which the proxy lives in, goes on."""
    await asyncio.to_thread(node.__enter__)
    try:
        yield node
    finally:
        await asyncio.to_thread(node.__exit__)


async def test_nothing_is_acknowledged_without_the_database_and_another_takes_over(
    url: str, database: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    (tmp_path / "notes of one").mkdir()
    (tmp_path / "notes of one" / "a.md").write_text(TEXT)
    key = make_key(tmp_path)

    async with proxy_to(postgres.port) as proxy:
        through = postgres.url(database, port=proxy.port)
        async with (
            running(ServeProcess("one", tmp_path, through, key)) as one,
            running(ServeProcess("two", tmp_path, url, key)) as two,
        ):
            with Clients() as people:

                async def tell(verb: str, **rest: Any) -> Any:
                    return await asyncio.to_thread(people.tell, verb, **rest)

                note = await document_of(one, "a.md")
                await tell("sweet", name="ana", url=one.sweet, document=note)
                await tell("synced", names=["ana"])
                await tell("insert", name="ana", at=0, text="before ")
                await tell("saved", names=["ana"])  # the control: with the database, it says so
                proxy.cut()
                await tell("insert", name="ana", at=0, text="while cut ")
                assert await tell("unsaved", name="ana")
                await eventually(lambda: owner_of(url, [one, two]) is two)
                assert "before" in await shown_by(two)
                proxy.mend()
                proxy.hang_up()
                await asyncio.to_thread(one.wait_ready)
                await tell("synced", names=["ana"])
                await tell("saved", names=["ana"])
                text = await shown_by(two)
                assert (text.count("before"), text.count("while cut")) == (1, 1)
                assert "beginning anew" in one.complaints
