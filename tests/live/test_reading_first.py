"""Read before you edit, on every transport: who has read is remembered, and who has not."""

from collections.abc import Callable, Generator
from functools import partial

import pytest
from mcp import Client

from tests.live.assistants import call, over_http, over_stdio
from tests.live.product import Product

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

Join = Callable[[Product], Client]

# One who reads, and another who is somebody else to the server though it comes the same way:
# another process; another session of the same name; another name at the same address. Whoever
# carries a token is told apart by its owner: a row more.
WAYS: dict[str, tuple[Join, Join]] = {
    "stdio": (partial(over_stdio, name="ada"), partial(over_stdio, name="ada")),
    "http2025": (
        partial(over_http, name="ada", era="legacy"),
        partial(over_http, name="ada", era="legacy"),
    ),
    "http2026": (partial(over_http, name="ada"), partial(over_http, name="bob")),
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Generator[Product]:
    text = "".join(f"{way}-one {way}-two {way}-three\n" for way in WAYS)
    with Product(tmp_path_factory.mktemp("product"), text, "--embeddings", "none") as product:
        yield product


async def edit(client: Client, word: str) -> str:
    arguments = {"file_path": "note.md", "old_string": word, "new_string": f"{word}-new"}
    said, done = await call(client, "edit", **arguments)
    assert done or "You must read this document before editing it." in said, said
    return "done" if done else "refused"


@pytest.mark.parametrize("way", WAYS)
async def test_who_has_read_may_edit_and_nobody_else(product: Product, way: str) -> None:
    join, join_other = WAYS[way]
    async with join(product) as reader, join_other(product) as other:
        assert await edit(reader, f"{way}-one") == "refused"
        assert (await call(reader, "read", file_path="note.md"))[1]
        assert await edit(reader, f"{way}-one") == "done"
        assert await edit(other, f"{way}-two") == "refused"
        assert (await call(other, "read_note", path="note.md"))[1]
        assert await edit(other, f"{way}-two") == "done"
        assert await edit(reader, f"{way}-three") == "done"


async def test_what_one_transport_has_read_counts_on_no_other(product: Product) -> None:
    async with over_stdio(product, "cat") as reader, over_http(product, "cat") as other:
        assert (await call(reader, "read", file_path="note.md"))[1]
        assert await edit(other, "stdio-one") == "refused"
        async with over_http(product, "cat", "legacy") as third:
            assert await edit(third, "stdio-one") == "refused"
