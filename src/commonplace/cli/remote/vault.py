"""The parts of a vault of another process."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import anyio.to_thread

from commonplace.cli.remote.decisions import (
    RemotePending,
    RemotePermissions,
    RemoteReview,
    RemoteSets,
)
from commonplace.cli.remote.history import RemoteTimeline, RemoteTrash, RemoteUndo
from commonplace.cli.remote.owner import Owner
from commonplace.core.scopes import Scope
from commonplace.vault.doctor import Check
from commonplace.vault.permissions.tokens import Token
from commonplace.vault.search.search import Hit


@dataclass(frozen=True, slots=True)
class RemoteHealth:
    """How things are, and what the doctor finds."""

    owner: Owner

    def status(self) -> dict[str, object]:
        """Ask how things are."""
        return self.owner.get("/api/status")

    async def diagnose(self) -> list[Check]:
        """Ask for a check of files, index and state."""
        found = await anyio.to_thread.run_sync(self.owner.get, "/api/doctor")
        return [Check(**check) for check in found["checks"]]


@dataclass(frozen=True, slots=True)
class RemoteSearch:
    """Notes found by words."""

    owner: Owner

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Ask for notes ranked by the words of a query."""
        path = f"/api/search?{urlencode({'q': query, 'limit': limit})}"
        found = await anyio.to_thread.run_sync(self.owner.get, path)
        return [Hit(**hit) for hit in found["hits"]]


@dataclass(frozen=True, slots=True)
class RemoteIndexer:
    """The index, brought up to date."""

    owner: Owner

    async def settled(self) -> None:
        """Wait for nothing: the owner answers from what it has."""

    async def refresh(
        self, *, rebuild: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Have the index brought up to date now."""
        await anyio.to_thread.run_sync(partial(self._refresh, rebuild, progress))

    def _refresh(self, rebuild: bool, progress: Callable[[int, int], None] | None) -> None:
        for step in self.owner.ask("POST", f"/api/index?rebuild={int(rebuild)}"):
            if progress and "done" in step:
                progress(step["done"], step["total"])


@dataclass(frozen=True, slots=True)
class RemoteTokens:
    """The access tokens of another process's vault."""

    owner: Owner

    def listed(self) -> list[Token]:
        """Ask for all tokens."""
        return [Token.read(row) for row in self.owner.get("/api/tokens")["tokens"]]

    async def create(
        self, name: str, scope: Scope, expires: float | None, folders: Iterable[str] = ()
    ) -> tuple[Token, str]:
        """Have a token made."""
        body = {"name": name, "scope": scope, "expires": expires, "folders": list(folders)}
        made = await anyio.to_thread.run_sync(self.owner.post, "/api/tokens", body)
        return Token.read(made["token"]), made["secret"]

    async def revoke(self, id: str) -> Token:
        """Have a token revoked."""
        done = await anyio.to_thread.run_sync(self.owner.post, "/api/tokens/revoke", {"id": id})
        return Token.read(done["token"])


@dataclass(frozen=True, slots=True)
class RemoteVault:
    """The parts of another process's vault."""

    tokens: RemoteTokens
    health: RemoteHealth
    search: RemoteSearch
    indexer: RemoteIndexer
    pending: RemotePending
    review: RemoteReview
    timeline: RemoteTimeline
    undo: RemoteUndo
    permissions: RemotePermissions
    trash: RemoteTrash
    sets: RemoteSets


def remote_vault(path: Path) -> RemoteVault:
    """Return the vault whose owner listens on that HTTP socket."""
    owner = Owner(path)
    return RemoteVault(
        RemoteTokens(owner),
        RemoteHealth(owner),
        RemoteSearch(owner),
        RemoteIndexer(owner),
        RemotePending(owner),
        RemoteReview(owner),
        RemoteTimeline(owner),
        RemoteUndo(owner),
        RemotePermissions(owner),
        RemoteTrash(owner),
        RemoteSets(owner),
    )
