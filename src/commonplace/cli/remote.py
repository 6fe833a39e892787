"""The vault of another process, with the methods that commands know from their own."""

import http.client
import json
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio.to_thread

from commonplace.core.scopes import Scope
from commonplace.errors import BadArgument, Conflict, NotFound, Unavailable
from commonplace.vault.approvals import Parked
from commonplace.vault.doctor import Check
from commonplace.vault.finding import Hit
from commonplace.vault.index import Pending
from commonplace.vault.review import Reviewed, Verdict
from commonplace.vault.tokens import Token
from commonplace.vault.trash import Trashed
from commonplace.vault.wishes import Choice, Json

_ERRORS = {"BAD_ARGUMENT": BadArgument, "NOT_FOUND": NotFound, "CONFLICT": Conflict}


class Remote:
    """The vault of another process, over its HTTP socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def tokens(self) -> "RemoteTokens":
        """The vault's access tokens."""
        return RemoteTokens(self._get, self._post)

    def status(self) -> dict[str, object]:
        """Ask how things are."""
        return self._get("/api/status")

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Ask for notes ranked by the words of a query."""
        path = f"/api/search?{urlencode({'q': query, 'limit': limit})}"
        found = await anyio.to_thread.run_sync(self._get, path)
        return [Hit(**hit) for hit in found["hits"]]

    async def diagnose(self) -> list[Check]:
        """Ask for a check of files, index and state."""
        found = await anyio.to_thread.run_sync(self._get, "/api/doctor")
        return [Check(**check) for check in found["checks"]]

    async def settled(self) -> None:
        """Wait for nothing: the owner answers from what it has."""

    async def pending(self) -> list[Pending]:
        """Ask what waits for a decision."""
        found: list[Pending] = []
        cursor: int | None = 0
        while cursor is not None:
            path = f"/api/suggestions?limit=1000&cursor={cursor}"
            answer = await anyio.to_thread.run_sync(self._get, path)
            found += [Pending(**_in_seconds(row)) for row in answer["suggestions"]]
            cursor = answer["cursor"]
        return found

    async def decide(
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed:
        """Have suggestions decided."""
        named = [{"path": path, "id": id} for path, ids in chosen.items() for id in ids]
        body = {"decision": verdict, "suggestions": named, "who": who, "reason": reason}
        return await self._reviewed(body)

    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed:
        """Have a suggestion accepted with another text."""
        named = [{"path": path, "id": id}]
        body = {"decision": "accept", "suggestions": named, "text": text, "who": who}
        return await self._reviewed(body)

    async def undo(self, token: str) -> int:
        """Have a decision taken back."""
        post = partial(self._post, "/api/review/undo", {"undo": token})
        return int((await anyio.to_thread.run_sync(post))["undone"])

    async def _reviewed(self, body: Mapping[str, object]) -> Reviewed:
        answer = await anyio.to_thread.run_sync(partial(self._post, "/api/review", body))
        return Reviewed([(one["path"], one["id"]) for one in answer["decided"]], answer["undo"])

    async def parked(self) -> list[Parked]:
        """Ask which writes wait for an answer."""
        found = await anyio.to_thread.run_sync(self._get, "/api/approvals")
        return [_parked(row) for row in found["approvals"]]

    async def approve(self, id: int, who: str, scope: Choice) -> Json:
        """Have a write done."""
        body = {"decision": "approve", "scope": scope, "who": who}
        post = partial(self._post, f"/api/approvals/{id}", body)
        return (await anyio.to_thread.run_sync(post))["result"]

    async def deny(self, id: int, who: str) -> None:
        """Have a write refused."""
        body = {"decision": "deny", "who": who}
        await anyio.to_thread.run_sync(partial(self._post, f"/api/approvals/{id}", body))

    async def remembered(self) -> list[tuple[str, str]]:
        """Ask what is always allowed."""
        found = await anyio.to_thread.run_sync(self._get, "/api/remembered")
        return [(row["operation"], row["who"]) for row in found["remembered"]]

    async def forget_remembered(self) -> None:
        """Have nothing allowed by earlier answers."""
        await anyio.to_thread.run_sync(partial(self._post, "/api/remembered/forget", {}))

    async def trashed(self) -> list[Trashed]:
        """Ask what is in the trash."""
        found = await anyio.to_thread.run_sync(self._get, "/api/trash")
        return [Trashed(**row) for row in found["trash"]]

    async def restore(self, trash: str) -> str:
        """Have a note taken out of the trash."""
        post = partial(self._post, "/api/notes/restore", {"trash": trash})
        return str((await anyio.to_thread.run_sync(post))["path"])

    async def refresh(
        self, *, rebuild: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Have the index brought up to date now."""
        await anyio.to_thread.run_sync(partial(self._refresh, rebuild, progress))

    def _refresh(self, rebuild: bool, progress: Callable[[int, int], None] | None) -> None:
        for step in self._ask("POST", f"/api/index?rebuild={int(rebuild)}"):
            if progress and "done" in step:
                progress(step["done"], step["total"])

    def _get(self, path: str) -> dict[str, Any]:
        return next(self._ask("GET", path))

    def _post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        return next(self._ask("POST", path, json.dumps(body).encode()))

    def _ask(self, method: str, path: str, body: bytes | None = None) -> Iterator[dict[str, Any]]:
        """Ask, and give each line of the answer as it comes."""
        with closing(_Unix(self._path)) as connection:
            try:
                connection.request(method, path, body, {"X-Commonplace": "1"})
                for text in connection.getresponse():
                    yield _checked(json.loads(text))
            except (OSError, ValueError, http.client.HTTPException):
                raise Unavailable("The vault's owner ended or failed. Try again.") from None


class RemoteTokens:
    """The access tokens of another process's vault."""

    def __init__(
        self,
        get: Callable[[str], dict[str, Any]],
        post: Callable[[str, Mapping[str, object]], dict[str, Any]],
    ) -> None:
        self._get, self._post = get, post

    def listed(self) -> list[Token]:
        """Ask for all tokens."""
        return [Token(**row) for row in self._get("/api/tokens")["tokens"]]

    async def create(self, name: str, scope: Scope, expires: float | None) -> tuple[Token, str]:
        """Have a token made."""
        body = {"name": name, "scope": scope, "expires": expires}
        made = await anyio.to_thread.run_sync(self._post, "/api/tokens", body)
        return Token(**made["token"]), made["secret"]

    async def revoke(self, id: str) -> Token:
        """Have a token revoked."""
        done = await anyio.to_thread.run_sync(self._post, "/api/tokens/revoke", {"id": id})
        return Token(**done["token"])


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))


def _in_seconds(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"time": None if row["time"] is None else row["time"] / 1000}


def _parked(row: dict[str, Any]) -> Parked:
    known = {name: row[name] for name in ("operation", "path", "who", "summary", "diff")}
    seconds = row["time"] / 1000
    return Parked(int(row["id"]), key="", kind="", change={}, actor="", time=seconds, **known)


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    if "error" in body:
        kind = _ERRORS.get(body["error"]["code"], Unavailable)
        raise kind(body["error"]["message"])
    return body
