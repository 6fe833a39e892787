"""A port of this machine at which agents find our tools, opened on first demand."""

import asyncio

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from commonplace.errors import Unavailable
from commonplace.server.owner.tool_port import ToolPort

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def hello(_: Request) -> Response:
    return PlainTextResponse("hello")


async def test_whoever_asks_first_opens_it_and_all_get_one_address() -> None:
    made: list[ASGIApp] = []

    async def make() -> ASGIApp:
        made.append(Starlette(routes=[Route("/mcp", hello)]))
        await asyncio.sleep(0)
        return made[-1]

    port = ToolPort(make)
    first, second = await asyncio.gather(port.mcp_url(), port.mcp_url())
    assert first == second == await port.mcp_url()
    assert first.startswith("http://127.0.0.1:")
    assert len(made) == 1
    async with httpx.AsyncClient(trust_env=False) as http:
        assert (await http.get(first)).text == "hello"
        await port.close()
        with pytest.raises(httpx.ConnectError):
            await http.get(first)


async def test_a_port_that_nobody_asked_for_is_closed_too() -> None:
    async def make() -> ASGIApp:
        raise AssertionError

    await ToolPort(make).close()


async def test_what_could_not_be_opened_is_tried_anew() -> None:
    failing = [Unavailable("Not yet.")]

    async def make() -> ASGIApp:
        if failing:
            raise failing.pop()
        return Starlette(routes=[Route("/mcp", hello)])

    port = ToolPort(make)
    with pytest.raises(Unavailable):
        await port.mcp_url()
    assert (await port.mcp_url()).endswith("/mcp")
    await port.close()
