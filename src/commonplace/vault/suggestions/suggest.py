"""Suggestions made: an assistant's edit becomes markup for people to decide.

A call that comes twice, as when a client's connection broke, changes nothing more: what a call
wrote is remembered as long as it stands.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from commonplace.core import critic
from commonplace.core.critic import NoMatch, NotUnique, Suggested
from commonplace.core.edits import Edit
from commonplace.errors import BadArgument, Conflict
from commonplace.vault.audit import Audit
from commonplace.vault.ledger import Credit, Ledger
from commonplace.vault.readings import Readings
from commonplace.vault.settings import SuggestionStyle
from commonplace.vault.shelf import Shelf

CALLS_MAX = 1000

CHANGED = "Document changed since last read. Please re-read and try again."


@dataclass(frozen=True, slots=True)
class Suggester:
    """An assistant that suggests: who it is to the server, and its name for people."""

    id: str
    name: str


_Call = tuple[str, str, str, str, bool]


@dataclass(frozen=True, slots=True)
class _Made:
    """What a call came to, and the suggestions that it wrote."""

    made: Suggested
    ids: frozenset[str]


class Suggesting:
    """Makes suggestions, and remembers whose they are."""

    def __init__(
        self,
        shelf: Shelf,
        ledger: Ledger,
        readings: Readings,
        audit: Audit,
        style: SuggestionStyle,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._shelf = shelf
        self._ledger = ledger
        self._readings = readings
        self._audit = audit
        self.style = style
        self._clock = clock
        self._calls: OrderedDict[_Call, _Made] = OrderedDict()

    async def suggest(
        self, path: str, old: str, new: str, actor: Suggester, *, replace_all: bool = False
    ) -> Suggested:
        """Replace a passage, as a suggestion; the same call again changes nothing more."""
        self._readings.require(actor.id, path)
        now = self._clock()
        call = (actor.id, path, old, new, replace_all)
        planned: list[tuple[str, Suggested]] = []

        def plan(text: str) -> list[Edit]:
            made = self._repeated(call, text) or self._planned(text, call, actor, now)
            planned.append((text, made))
            return made.edits

        try:
            await self._shelf.edit(path, plan, f"assistant:{actor.name}")
        except (NoMatch, NotUnique) as error:
            raise self._worded(error, path, old, actor) from error
        before, made = planned[-1]
        if made.edits:
            await self._keep(call, before, made, actor, now)
        return made

    def _repeated(self, call: _Call, text: str) -> Suggested | None:
        """Find what the same call came to, if all that it wrote still stands."""
        before = self._calls.get(call)
        if before is None or not before.ids <= {
            critic.rank(id) for id, _, _ in critic.places(text)
        }:
            return None
        return replace(before.made, edits=[], text=text, repeated=True)

    def _planned(self, text: str, call: _Call, actor: Suggester, now: float) -> Suggested:
        _, _, old, new, replace_all = call
        return critic.suggest(
            text,
            old,
            new,
            replace_all=replace_all,
            author=self.style.name(actor.name),
            time=now,
            metadata=self.style.metadata,
        )

    async def _keep(
        self, call: _Call, before: str, made: Suggested, actor: Suggester, now: float
    ) -> None:
        """Put on record who suggested what; know the call when a client sends it once more."""
        path = call[1]
        fresh = critic.written(made.text, made.edits)
        if fresh:
            self._calls[call] = _Made(made, frozenset(map(critic.rank, fresh)))
            while len(self._calls) > CALLS_MAX:
                self._calls.popitem(last=False)
        credit = Credit(actor.id, self.style.name(actor.name), now)
        document = await self._shelf.id_of(path)
        await self._ledger.load()
        carried = critic.carried(before, made.text, made.edits)
        # Together, for one commit to save them.
        await asyncio.gather(
            self._ledger.credit_to(document, dict.fromkeys(fresh, credit), carried),
            self._audit.write(
                actor.name, "edit", path, answer="suggest", by="settings", outcome="done"
            ),
        )

    def _worded(
        self, error: NoMatch | NotUnique, path: str, old: str, actor: Suggester
    ) -> BadArgument | Conflict:
        if isinstance(error, NotUnique):
            return BadArgument(
                f"old_string is not unique in {path} ({error.count} occurrences found). Include"
                " more surrounding context to make it unique, or set replace_all."
            )
        if self._readings.had(actor.id, path, old):
            return Conflict(CHANGED)
        return BadArgument(f"old_string not found in {path}. Make sure it matches exactly.")
