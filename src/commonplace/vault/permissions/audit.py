"""The record of every write that was asked for: by whom, what became of it, who answered how."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from commonplace.vault.log.late_records import Afterwards

_ENTRIES_MAX = 2_000

_KIND = "audit"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One write that was asked for.

    `answer` is how it was decided: a policy (`allow`, `suggest`, `deny`), a person's word (`once`,
    `session`, `always`, `no`), or `parked`; `by` is who decided: `settings`, `client` (a person at
    the assistant's client), or a person's name. `outcome` is `done`, `refused`, `waits`, or what
    went wrong.
    """

    time: float
    who: str
    operation: str
    path: str
    answer: str
    by: str
    outcome: str


class Audit:
    """The latest writes, kept in the log and mirrored in memory."""

    def __init__(self, kept: Afterwards, clock: Callable[[], float] = time.time) -> None:
        self._kept = kept
        self._clock = clock
        self._writes: dict[int, AuditEntry] = {}
        self._loaded = False

    async def load(self) -> None:
        """Read what earlier runs wrote, once."""
        if self._loaded:
            return
        kept = await self._kept.records(_KIND)
        earlier = {int(key): AuditEntry(**json.loads(value)) for key, value in kept.items()}
        self._writes = dict(sorted((earlier | self._writes).items()))
        self._loaded = True

    async def write(
        self, who: str, operation: str, path: str, *, answer: str, by: str, outcome: str
    ) -> None:
        """Add a row."""
        await self.load()
        number = max(self._writes, default=0) + 1
        row = AuditEntry(self._clock(), who, operation, path, answer, by, outcome)
        self._writes[number] = row
        await self._kept.put(_KIND, f"{number:012}", json.dumps(asdict(row)))
        while len(self._writes) > _ENTRIES_MAX:
            oldest = next(iter(self._writes))
            del self._writes[oldest]
            await self._kept.put(_KIND, f"{oldest:012}", None)

    def latest(self, limit: int) -> list[AuditEntry]:
        """Return the latest writes, newest first, as far as they are loaded."""
        return list(self._writes.values())[: -limit - 1 : -1]
