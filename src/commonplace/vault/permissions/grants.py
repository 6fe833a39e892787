"""What a person allowed for longer than once: for an assistant's session, or always.

A session is an actor's, and ends after half a day. Always is in the log, for an access token; any
program can call itself as it likes, so without a token it holds for every program on this machine.
Both mean the same kind of change to any note, and can be taken back one by one. A deletion is asked
for each time: no answer about one note lets any other go.
"""

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from commonplace.errors import BadArgument, NotFound
from commonplace.vault.log.log import Log
from commonplace.vault.permissions.requests import Asker, Operation, PermissionChoice

_SESSION_SECONDS_MAX = 12 * 3600.0
_SESSIONS_MAX = 1_000

EVERY_PROGRAM = "every program on this machine"

_ALWAYS = "always"
_ANYBODY = "*"


_ONCE_ONLY: tuple[Operation, ...] = ("delete",)
_VERBS: dict[Operation, str] = {
    "create": "create notes anywhere",
    "update": "change any note",
    "delete": "delete any note",
    "rename": "rename any note",
}


@dataclass(frozen=True, slots=True)
class Grant:
    """What is always allowed, for whom and since when; `key` names it."""

    key: str
    operation: Operation
    who: str
    since: float

    @property
    def meaning(self) -> str:
        """All that it allows, in a sentence."""
        return f"{self.who} may {_VERBS[self.operation]} without asking"


def choices(operation: Operation) -> tuple[PermissionChoice, ...]:
    """Return how far a yes to an operation can reach."""
    return ("once",) if operation in _ONCE_ONLY else ("once", "session", "always")


def check(operation: Operation, choice: PermissionChoice) -> None:
    """Refuse an answer that reaches further than answers to this operation can."""
    if choice not in (*choices(operation), "no", "dismissed"):
        raise BadArgument(f"A {operation} is asked for each time: it can be allowed once only.")


def reach(operation: Operation, asker: Asker) -> str:
    """Say to a person what "always" would allow, all of it; nothing where it cannot be said."""
    if operation in _ONCE_ONLY:
        return ""
    who = f"the access token {asker.name!r}" if asker.has_token else EVERY_PROGRAM
    return f"{who} may {_VERBS[operation]} without asking"


def _key(operation: Operation, asker: Asker) -> str:
    return f"{operation} {asker.id if asker.has_token else _ANYBODY}"


class Remembered:
    """Answers that hold on."""

    def __init__(self, log: Log, clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._sessions: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def allows(self, operation: Operation, asker: Asker) -> bool:
        """Tell whether an earlier answer allows it; one who may only suggest is never allowed."""
        if asker.suggests_only or operation in _ONCE_ONLY:
            return False
        since = self._sessions.get((operation, asker.id))
        if since is not None and self._clock() - since < _SESSION_SECONDS_MAX:
            return True
        return await self._log.record(_ALWAYS, _key(operation, asker)) is not None

    async def keep(self, operation: Operation, asker: Asker, choice: PermissionChoice) -> None:
        """Remember an answer for as long as it holds."""
        if choice not in choices(operation):
            return
        if choice == "session":
            self._sessions[operation, asker.id] = self._clock()
            while len(self._sessions) > _SESSIONS_MAX:
                self._sessions.popitem(last=False)
        elif choice == "always":
            who = asker.name if asker.has_token else EVERY_PROGRAM
            value = json.dumps({"since": self._clock(), "who": who})
            await self._log.put_record(_ALWAYS, _key(operation, asker), value)

    async def always(self) -> list[Grant]:
        """List what is always allowed."""
        return [
            Grant(key, operation, fields["who"], fields.get("since", 0.0))
            for key, value in (await self._log.records(_ALWAYS)).items()
            if (operation := cast("Operation", key.partition(" ")[0])) not in _ONCE_ONLY
            if "who" in (fields := json.loads(value))  # earlier versions went by names alone
        ]

    async def revoke(self, key: str) -> None:
        """Ask again about one of them, in sessions too."""
        if key not in {grant.key for grant in await self.always()}:
            raise NotFound(
                "There is no such permission, or it was revoked already. List those there are."
            )
        operation = key.partition(" ")[0]
        for session in [each for each in self._sessions if each[0] == operation]:
            del self._sessions[session]
        await self._log.put_record(_ALWAYS, key, None)

    async def forget(self) -> None:
        """Ask again about everything."""
        self._sessions.clear()
        for key in await self._log.records(_ALWAYS):
            await self._log.put_record(_ALWAYS, key, None)
