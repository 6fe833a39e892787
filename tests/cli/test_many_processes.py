"""Twelve `commonplace mcp` processes on one real vault, in both protocol eras, owners dying."""

import random
import signal
import sys
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from commonplace.vault.owner import _holder
from commonplace.vault.settings import Root
from tests.server.processes import Client
from tests.wait import until

CLIENTS = 12
CALLS = 250
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
LEGACY: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read", {"file_path": "Note 7.md"}),
    ("glob", {"pattern": "**/*.md"}),
    ("grep", {"pattern": "number 1[0-9]"}),
    ("get_links", {"file_path": "Note 3.md"}),
)


@pytest.fixture
def clients(tmp_path: Path) -> Generator[list[Client]]:
    vault = tmp_path / "vault"
    vault.mkdir()
    for n in range(40):
        text = f"# Note {n}\n\nnumber {n}, after [[Note {n - 1}]]\n"
        (vault / f"Note {n}.md").write_text(text)
    command = (sys.executable, "-m", "commonplace", "mcp", str(vault))
    env = {"XDG_DATA_HOME": str(tmp_path / "data")}
    with ExitStack() as stack:
        yield [stack.enter_context(Client(*command, env=env)) for _ in range(CLIENTS)]


def call(client: Client, *, modern: bool) -> None:
    name, arguments = random.choice(TOOLS)
    meta = {"_meta": MODERN} if modern else {}
    if random.random() < 0.2:
        client.ask("tools/list", **meta)
    else:
        client.ask("tools/call", name=name, arguments=arguments, **meta)


def check(client: Client) -> None:
    """Every call was answered once, and with what it asked for."""
    until(lambda: len(client.answer_counts()) == client.asked, 120)
    assert set(client.answer_counts().values()) == {1}
    for message in client.heard():
        if "id" in message:
            assert "result" in message, message
            assert not message["result"].get("isError"), message


@pytest.mark.slow
@pytest.mark.parametrize("killed", [0, 3])
def test_none_of_three_thousand_mixed_calls_fails(
    clients: list[Client], tmp_path: Path, killed: int
):
    for client in clients[::2]:
        client.call("initialize", **LEGACY)
        client.tell({"method": "notifications/initialized"})
    living = list(clients)
    fatal = {CALLS * n // (killed + 1) for n in range(1, killed + 1)}
    for n in range(CALLS):
        for at, client in enumerate(clients):
            if client in living:
                call(client, modern=bool(at % 2))
        if n in fatal:
            owner = _owner(living, tmp_path / "vault")
            owner.kill(signal.SIGKILL)
            living.remove(owner)
    for client in living:
        check(client)


def _owner(clients: list[Client], vault: Path) -> Client:
    """Find who holds the vault's lock."""
    pids = {client.pid: client for client in clients}
    return until(lambda: pids.get(_holder(Root("vault", vault)) or 0))
