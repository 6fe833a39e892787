"""Suggestions that assistants have just made, until the index has seen them.

They are kept in the log meanwhile: a process that is killed before knows after its restart what
waited, and so what became of it while nothing ran.
"""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Iterable, Mapping

from commonplace.core.critic import rank
from commonplace.core.history.forget import unreadable
from commonplace.vault.index.queries.suggestions import PendingRow
from commonplace.vault.log.late_records import Afterwards

_UNSEEN = "suggested-unseen"


class UnseenSuggestions:
    """Rows as the index will have them, by note and by the rank of their ids."""

    def __init__(self, kept: Afterwards) -> None:
        self._kept = kept
        self._rows: dict[str, dict[str, PendingRow]] = {}
        self._saved: dict[str, tuple[str, frozenset[str]]] = {}
        self._left: list[str] = []

    @property
    def paths(self) -> list[str]:
        """The notes that have some."""
        return list(self._rows)

    def add(self, path: str, rows: Iterable[PendingRow]) -> Awaitable[None]:
        """Take up suggestions at once; what is returned saves them."""
        found = {rank(row[1]): row for row in rows}
        self._rows.setdefault(path, {}).update(found)
        key = uuid.uuid4().hex
        self._saved[key] = path, frozenset(found)
        return self._kept.put(_UNSEEN, key, json.dumps([*found.values()], ensure_ascii=False))

    def of(self, path: str) -> Mapping[str, PendingRow]:
        """Return those in a note."""
        return self._rows.get(path, {})

    def put(self, path: str, rows: Mapping[str, PendingRow]) -> None:
        """Let these be the ones in a note: others of it were seen."""
        self._rows.pop(path, None)
        if rows:
            self._rows[path] = dict(rows)

    def follow(self, old: str, new: str) -> None:
        """Let those in a note that was renamed follow it."""
        if (rows := self._rows.pop(old, None)) is not None:
            self._rows[new] = {id: (new, *row[1:]) for id, row in rows.items()}
            for key, (path, ids) in self._saved.items():
                self._saved[key] = (new if path == old else path), ids

    async def forget_seen(self) -> None:
        """Keep nothing of those that were seen, in the log either."""
        seen = [key for key, (path, ids) in self._saved.items() if not ids & self.of(path).keys()]
        for key in seen:
            del self._saved[key]
        await self._forget(seen)

    async def left(self) -> dict[str, list[PendingRow]]:
        """Return those that the process before this one left, by note."""
        kept = await self._kept.records(_UNSEEN)
        self._left = list(kept)
        found: dict[str, list[PendingRow]] = {}
        for value in kept.values():
            for row in json.loads(value):
                found.setdefault(row[0], []).append(tuple(row))
        return found

    async def forget_left(self) -> None:
        """Keep them no longer: what became of them is on record."""
        left, self._left = self._left, []
        await self._forget(left)

    async def forget_passage(self, passage: str) -> int:
        """Keep nothing that holds a passage; return how many records did."""
        holding = [
            key
            for key, value in (await self._kept.records(_UNSEEN)).items()
            if any(_holds(row, passage) for row in json.loads(value))
        ]
        await self._forget(holding)
        return len(holding)

    async def _forget(self, keys: Iterable[str]) -> None:
        await asyncio.gather(*(self._kept.put(_UNSEEN, key, None) for key in keys))


def _holds(row: Iterable[object], passage: str) -> bool:
    return any(isinstance(text, str) and unreadable(text, passage) != text for text in row)
