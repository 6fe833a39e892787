"""What people decide in a vault of another process: suggestions, parked writes, change sets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio.to_thread

from commonplace.cli.remote.owner import Owner
from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.grants import Grant
from commonplace.vault.permissions.requests import Json, PermissionChoice
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.suggestions.review import Reviewed, Verdict


@dataclass(frozen=True, slots=True)
class RemotePending:
    """The suggestions that wait."""

    owner: Owner

    async def listed(self) -> list[PendingSuggestion]:
        """Ask what waits for a decision."""
        found: list[PendingSuggestion] = []
        cursor: int | None = 0
        while cursor is not None:
            path = f"/api/suggestions?limit=1000&cursor={cursor}"
            answer = await anyio.to_thread.run_sync(self.owner.get, path)
            found += [PendingSuggestion(**_in_seconds(row)) for row in answer["suggestions"]]
            cursor = answer["cursor"]
        return found


@dataclass(frozen=True, slots=True)
class RemoteReview:
    """Decisions on suggestions."""

    owner: Owner

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
        post = partial(self.owner.post, "/api/review/undo", {"undo": token})
        return int((await anyio.to_thread.run_sync(post))["undone"])

    async def _reviewed(self, body: Mapping[str, object]) -> Reviewed:
        answer = await anyio.to_thread.run_sync(partial(self.owner.post, "/api/review", body))
        decided = [(one["path"], one["id"]) for one in answer["decided"]]
        return Reviewed(decided, answer["undo"], tuple(answer["late"]))


@dataclass(frozen=True, slots=True)
class RemotePermissions:
    """Writes that wait, and what is always allowed."""

    owner: Owner

    async def waiting(self) -> list[Parked]:
        """Ask which writes wait for an answer."""
        found = await anyio.to_thread.run_sync(self.owner.get, "/api/approvals")
        return [_parked(row) for row in found["approvals"]]

    async def remembered(self) -> list[Grant]:
        """Ask what is always allowed."""
        found = await anyio.to_thread.run_sync(self.owner.get, "/api/remembered")
        return [
            Grant(row["key"], row["operation"], row["who"], row["time"] / 1000)
            for row in found["remembered"]
        ]

    async def revoke(self, key: str) -> None:
        """Have one of them asked about again."""
        await anyio.to_thread.run_sync(
            partial(self.owner.post, "/api/remembered/revoke", {"key": key})
        )

    async def forget_remembered(self) -> None:
        """Have nothing allowed by earlier answers."""
        await anyio.to_thread.run_sync(partial(self.owner.post, "/api/remembered/forget", {}))


@dataclass(frozen=True, slots=True)
class RemoteAnswers:
    """What people say to the writes that wait."""

    owner: Owner

    async def give(
        self,
        who: str,
        approved: Sequence[int] = (),
        denied: Sequence[int] = (),
        *,
        scope: PermissionChoice = "once",
        reason: str = "",
    ) -> dict[int, Json]:
        """Have writes approved and denied, all of them or none."""
        body = {"approve": list(approved), "deny": list(denied), "scope": scope, "reason": reason}
        post = partial(self.owner.post, "/api/approvals", {**body, "who": who})
        done = await anyio.to_thread.run_sync(post)
        return {int(one["id"]): one["result"] for one in done["approved"]}


@dataclass(frozen=True, slots=True)
class RemoteSets:
    """The change sets of another process's vault, as plain JSON values."""

    owner: Owner

    @property
    def answers(self) -> RemoteAnswers:
        """What people say to the writes that wait."""
        return RemoteAnswers(self.owner)

    async def listed(self) -> list[dict[str, Any]]:
        """Ask for all sets."""
        return (await anyio.to_thread.run_sync(self.owner.get, "/api/sets"))["sets"]

    async def history(self, number: int) -> dict[str, Any]:
        """Ask what became of each change of a set."""
        return await anyio.to_thread.run_sync(self.owner.get, f"/api/history?set={number}")

    async def shown(self, number: int) -> dict[str, Any]:
        """Ask for one set with all that it refers to."""
        return await anyio.to_thread.run_sync(self.owner.get, f"/api/sets/{number}")

    async def decide(
        self, number: int, verdict: Verdict, chosen: Chosen, who: str, reason: str = ""
    ) -> dict[str, Any]:
        """Have part of a set decided, or all of it."""
        named = [{"path": path, "id": id} for path, ids in chosen.changes.items() for id in ids]
        body = {"changes": named, "writes": list(chosen.writes), "who": who, "reason": reason}
        post = partial(self.owner.post, f"/api/sets/{number}/decide", {**body, "decision": verdict})
        return (await anyio.to_thread.run_sync(post))["decision"]

    async def undo(self, number: int, who: str, id: int | None = None) -> dict[str, Any]:
        """Have a decision taken back."""
        body = {"who": who, "decision": id}
        post = partial(self.owner.post, f"/api/sets/{number}/undo", body)
        return (await anyio.to_thread.run_sync(post))["undone"]


def _in_seconds(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"time": None if row["time"] is None else row["time"] / 1000}


def _parked(row: dict[str, Any]) -> Parked:
    known = {name: row[name] for name in ("operation", "path", "who", "summary", "diff")}
    seconds = row["time"] / 1000
    return Parked(int(row["id"]), key="", kind="", change={}, actor="", time=seconds, **known)
