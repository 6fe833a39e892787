"""The HTTP apps of an owner: one for each set of choices, started on first demand."""

import socket
from dataclasses import replace
from pathlib import Path

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from commonplace.server.owner.http_apps import Web, url
from commonplace.vault.owner import socket_folder
from commonplace.vault.settings import Access, Root, Settings

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "notes").mkdir()
    (tmp_path / "state").mkdir()
    return Settings((Root("notes", tmp_path / "notes"),), tmp_path / "state")


class Made:
    """Apps that say for which choices they were made."""

    def __init__(self) -> None:
        self.count = 0

    async def app(self, own: Settings) -> ASGIApp:
        self.count += 1

        async def say(_: Request) -> Response:
            return PlainTextResponse(f"read only: {own.read_only}")

        return Starlette(routes=[Route("/", say)])


async def said(place: Path) -> str:
    transport = httpx.AsyncHTTPTransport(uds=str(place))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        return (await http.get("/")).text


async def test_the_same_choices_share_an_app_and_others_have_their_own(settings: Settings) -> None:
    made = Made()
    closed = replace(settings, read_only=True)
    folder = socket_folder(settings)
    folder.mkdir(parents=True, exist_ok=True)
    async with Web.open(settings, made.app) as web:
        names: list[str] = []

        async def ask(own: Settings) -> None:
            names.append(await web.name_of(own))

        async with anyio.create_task_group() as tasks:
            for own in (settings, settings, replace(settings, always_load=("read",))):
                tasks.start_soon(ask, own)
        assert len(set(names)) == 1
        other = await web.name_of(closed)
        assert made.count == 2
        assert await said(folder / names[0]) == "read only: False"
        assert await said(folder / other) == "read only: True"
        for more in (
            replace(settings, policies={"create": "deny"}),
            replace(settings, families=("files",)),
            replace(settings, access=Access(("notes.example",))),
        ):
            assert await web.name_of(more) not in (names[0], other)
        assert web.urls == ()


@pytest.mark.parametrize(("host", "shown"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_an_address_is_written_as_people_paste_it(host: str, shown: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        assert url(listener) == f"http://{shown}:{listener.getsockname()[1]}"
