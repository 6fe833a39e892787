"""Yjs clients that others wrote, against a server that asks for access tokens."""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest

from tests.live.processes import Clients
from tests.server.site import Site, site_in

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    async with site_in(tmp_path) as site:
        yield site


async def test_y_websocket_and_y_sweet_come_in_with_a_token_and_not_without(site: Site) -> None:
    document = (await site.vault.notes.ids.identify("Bees.md")).id
    ws, place = f"{site.url.replace('http', 'ws')}/sync", site.url.removeprefix("http://")

    with Clients() as clients:

        async def tell(verb: str, **rest: Any) -> Any:
            return await anyio.to_thread.run_sync(partial(clients.tell, verb, **rest))

        token = site.secrets["write"]
        await tell("websocket", name="ana", url=ws, document=document, token=token)
        await tell("sweet", name="bo", url=f"ys://{token}@{place}", document=document)
        await tell("synced", names=["ana", "bo"])
        await tell("insert", name="ana", at=-1, text="Typed by Ana.\n")
        await tell("insert", name="bo", at=0, text="Typed by Bo.\n")
        await tell("saved", names=["bo"])
        await tell("alike", names=["ana", "bo"])
        await tell("has", name="bo", text="Typed by Ana.")
        for name, words in (("cy", {}), ("dee", {"token": site.secrets["wrong"]})):
            await tell("websocket", name=name, url=ws, document=document, **words)
            assert await tell("closed", name=name) == 4401
            assert await tell("text", name=name) == ""
