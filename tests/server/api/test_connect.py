"""What the page gives a person to paste starts the vault as it is served."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.cli.options import Flags, parse
from commonplace.server.api.assistants import Visits
from commonplace.server.api.clients import CLIENTS
from commonplace.server.api.connect import routes
from commonplace.vault.settings import Root, Settings
from tests.server.api.test_graph import ask

pytestmark = pytest.mark.anyio


async def shown(settings: Settings, *, shared: bool = False) -> tuple[dict[str, Any], Any]:
    """Return what the page is told: the text for each client, and the rest."""
    app = Starlette(routes=routes(settings, Visits(), shared=shared))
    status, answer = await ask(app, "/api/connect")
    assert status == 200
    return {client["id"]: client["text"] for client in answer["clients"]}, answer


async def given(settings: Settings) -> Flags:
    """Return what the server reads that Claude Desktop starts."""
    texts, _ = await shown(settings)
    assert texts.keys() == CLIENTS.keys()
    words: list[str] = json.loads(texts["desktop"])["mcpServers"]["notes"]["args"]
    flags = parse(words[words.index("mcp") + 1 :])
    assert flags is not None
    return flags


async def test_claude_desktop_starts_the_same_vault_with_the_same_state(tmp_path: Path):
    roots = (Root("notes", tmp_path / "notes"),)
    plain = Settings(roots, tmp_path / "state" / "key")
    assert await given(plain) == Flags((str(tmp_path / "notes"),))
    moved = Settings(roots, tmp_path / "state" / "key", state_base=tmp_path / "state")
    assert (await given(moved)).get("state") == str(tmp_path / "state")


async def test_it_gets_no_more_than_is_served(tmp_path: Path):
    roots = (Root("one", tmp_path / "a"), Root("two", tmp_path / "b"))
    settings = Settings(roots, tmp_path / "key", families=("files", "graph"), read_only=True)
    vault = (f"one={tmp_path}/a", f"two={tmp_path}/b")
    assert await given(settings) == Flags(vault, {"tools": "files,graph", "read_only": True})


async def test_a_vault_of_several_machines_is_given_by_its_address(tmp_path: Path):
    settings = Settings((Root("notes", tmp_path / "notes"),), tmp_path / "key")
    texts, answer = await shown(settings, shared=True)
    assert answer["line"] == ""
    assert texts.pop("desktop").endswith("use it where the notes are.")
    assert all(answer["address"] in text for text in texts.values())
    assert str(tmp_path) not in str(answer)
