"""What a person allowed for longer than once: for an assistant's session, or always.

A session is an actor's, and ends after half a day; always is by the assistant's name, in the log.
"""

import json
from collections import OrderedDict
from collections.abc import Callable

from commonplace.vault.log import Log
from commonplace.vault.wishes import Asker, Choice, Operation

SESSION_SECONDS_MAX = 12 * 3600.0
SESSIONS_MAX = 1_000

_ALWAYS = "always"


class Remembered:
    """Answers that hold on."""

    def __init__(self, log: Log, clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._sessions: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def allows(self, operation: Operation, asker: Asker) -> bool:
        """Tell whether an earlier answer allows it; one who may only suggest is never allowed."""
        if asker.suggests_only:
            return False
        since = self._sessions.get((operation, asker.id))
        if since is not None and self._clock() - since < SESSION_SECONDS_MAX:
            return True
        return await self._log.record(_ALWAYS, f"{operation} {asker.name}") is not None

    async def keep(self, operation: Operation, asker: Asker, choice: Choice) -> None:
        """Remember an answer for as long as it holds."""
        if choice == "session":
            self._sessions[operation, asker.id] = self._clock()
            while len(self._sessions) > SESSIONS_MAX:
                self._sessions.popitem(last=False)
        elif choice == "always":
            since = json.dumps({"since": self._clock()})
            await self._log.put_record(_ALWAYS, f"{operation} {asker.name}", since)

    async def always(self) -> list[tuple[str, str]]:
        """List what is always allowed: (operation, assistant)."""
        kept = await self._log.records(_ALWAYS)
        return [(operation, who) for operation, _, who in (key.partition(" ") for key in kept)]

    async def forget(self) -> None:
        """Ask again about everything."""
        self._sessions.clear()
        for operation, who in await self.always():
            await self._log.put_record(_ALWAYS, f"{operation} {who}", None)
