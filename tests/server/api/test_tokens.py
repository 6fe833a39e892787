"""Access tokens in JSON, as the command line asks for them."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.server.api import tokens
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.permissions.tokens import Tokens
from tests.server.api.test_graph import ask

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Desk:
    tokens: Tokens
    app: Starlette


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    async with SqliteLog(tmp_path / "live.db") as log:
        kept = Tokens(log)
        yield Desk(kept, Starlette(routes=tokens.routes(kept)))


async def test_a_token_is_shown_once_and_its_secret_never_again(desk: Desk) -> None:
    status, made = await ask(desk.app, "/api/tokens", {"name": "Ada", "scope": "read"})
    assert status == 200
    _, listed = await ask(desk.app, "/api/tokens")
    assert listed["tokens"] == [made["token"]]
    assert await desk.tokens.verify(made["secret"]) is not None
    assert "digest" not in made["token"]
    assert made["secret"] not in str(listed)
    await ask(desk.app, "/api/tokens/revoke", {"id": made["token"]["id"]})
    assert await desk.tokens.verify(made["secret"]) is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "", "scope": "read"},
        {"name": "x" * 200, "scope": "read"},
        {"name": "Ada", "scope": "all"},
        {"name": "Ada", "scope": "read", "expires": "soon"},
        {"name": "Ada", "scope": "read", "folders": "x"},
        {"name": "Ada", "scope": "read", "folders": ["../x"]},
    ],
)
async def test_what_makes_no_token_is_refused(desk: Desk, body: dict[str, Any]) -> None:
    assert (await ask(desk.app, "/api/tokens", body))[0] == 400
    assert desk.tokens.listed() == []


async def test_a_token_that_is_not_there_is_told(desk: Desk) -> None:
    for id in ("none", "", None, 5):
        assert (await ask(desk.app, "/api/tokens/revoke", {"id": id}))[0] == 404
