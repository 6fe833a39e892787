"""The whole product on an address of this machine that is not the usual one, tokens asked for."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette

from commonplace.core.scopes import SCOPES, Scope
from commonplace.server.composition import compose
from commonplace.server.owner.uvicorn import serving
from commonplace.vault.settings import Access, Root, Settings
from commonplace.vault.vault import Vault

HOST = "127.0.0.2"
NOTES = {"Bees.md": "# Bees\n\nBees dance.\n", "Sub/Clover.md": "# Clover\n\nSee [[Bees]].\n"}


@dataclass(frozen=True, slots=True)
class Site:
    """A served vault, with a token of each scope and some that do not hold."""

    vault: Vault
    folder: Path
    state: Path
    app: Starlette
    url: str
    secrets: dict[str, str]
    ids: dict[str, str]

    def http(self, token: str = "", **headers: str) -> httpx.AsyncClient:
        """Give a client that shows the token of a scope, or these words."""
        shown = {"authorization": f"Bearer {self.secrets.get(token, token)}"} if token else {}
        return httpx.AsyncClient(base_url=self.url, headers={**shown, **headers}, timeout=30)

    @asynccontextmanager
    async def mcp(
        self, token: str, era: str, name: str = "robot", **more: Any
    ) -> AsyncGenerator[Client]:
        """Give an MCP client that shows a token."""
        headers = {"authorization": f"Bearer {self.secrets.get(token, token)}"}
        info = types.Implementation(name=name, version="1")
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(f"{self.url}/mcp", http_client=http)
            async with Client(transport, mode=era, client_info=info, **more) as client:
                yield client

    async def token(self, name: str, scope: Scope = "write") -> str:
        """Make a token more."""
        made, secret = await self.vault.tokens.create(name, scope)
        self.secrets[name], self.ids[name] = secret, made.id
        return secret


@asynccontextmanager
async def site_in(place: Path, policies: dict[str, str] | None = None) -> AsyncGenerator[Site]:
    """Serve two notes."""
    folder = place / "notes"
    for path, text in NOTES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    settings = Settings((Root("notes", folder),), place / "state", policies=policies or {})
    async with compose(settings) as served:
        vault = served.vault
        await vault.indexer.settled()
        secrets = {"wrong": f"cp_00000000_{'x' * 43}", "foreign": "sk-something"}
        ids: dict[str, str] = {}
        site = Site(vault, folder, settings.state, Starlette(), "", secrets, ids)
        for scope in SCOPES:
            await site.token(scope, scope)
        await site.token("revoked")
        await vault.tokens.revoke(ids["revoked"])
        _, secrets["expired"] = await vault.tokens.create("expired", "approve", 1.0)
        listener = socket.create_server((HOST, 0))
        app = await served.app(replace(settings, access=Access((HOST,), token=True)))
        assert isinstance(app, Starlette)
        async with serving(app, [listener]):
            yield replace(site, app=app, url=f"http://{HOST}:{listener.getsockname()[1]}")
