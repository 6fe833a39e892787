"""Suggestions made: an assistant's edit becomes markup for people to decide.

A call that comes twice, as when a client's connection broke, changes nothing more: what a call
wrote is remembered as long as it stands.
"""

from collections import OrderedDict
from dataclasses import dataclass, replace

from commonplace.core import critic
from commonplace.core.critic import NoMatch, NotUnique, Suggested
from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, ChangedSinceRead
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.permissions.audit import Audit
from commonplace.vault.suggestions.authorship import Authorship, Suggester
from commonplace.vault.suggestions.read_guard import Readings

CALLS_MAX = 1000

_Call = tuple[str, str, str, str, bool]


@dataclass(frozen=True, slots=True)
class _Made:
    """What a call came to, and the suggestions that it wrote."""

    made: Suggested
    ids: frozenset[str]


class Suggestions:
    """Makes suggestions, and remembers whose they are."""

    def __init__(
        self,
        notes: LiveNotes,
        authorship: Authorship,
        readings: Readings,
        audit: Audit,
    ) -> None:
        self._notes = notes
        self._authorship = authorship
        self._readings = readings
        self._audit = audit
        self._calls: OrderedDict[_Call, _Made] = OrderedDict()

    async def suggest(
        self, path: str, old: str, new: str, actor: Suggester, *, replace_all: bool = False
    ) -> Suggested:
        """Replace a passage, as a suggestion; the same call again changes nothing more."""
        self._notes.refuse_read_only()
        self._readings.require(actor.id, path)
        document = await self._authorship.ready(path)
        call = (actor.id, path, old, new, replace_all)
        made = Suggested([], "", 0, 0)

        def plan(text: str) -> list[Edit]:
            nonlocal made  # its edits do not say whether it repeats an earlier call
            made = self._repeated(call, text) or self._planned(text, call, actor)
            self._authorship.check(document, made, actor)
            return made.edits

        try:
            edited = await self._notes.edit(path, plan, f"assistant:{actor.name}")
        except (NoMatch, NotUnique) as error:
            raise self._worded(error, path, old, actor) from error
        if made.edits:
            await self._keep(call, edited.before, made, actor)
            self._readings.follow_edit(actor.id, path, old, new, every=replace_all)
        return made

    def _repeated(self, call: _Call, text: str) -> Suggested | None:
        """Find what the same call came to, if all that it wrote still stands."""
        before = self._calls.get(call)
        if before is None or not before.ids <= {
            critic.rank(id) for id, _, _ in critic.places(text)
        }:
            return None
        return replace(before.made, edits=[], text=text, repeated=True)

    def _planned(self, text: str, call: _Call, actor: Suggester) -> Suggested:
        _, _, old, new, replace_all = call
        by = self._authorship.signature(actor)
        return critic.suggest(
            text,
            old,
            new,
            replace_all=replace_all,
            author=by.author,
            time=by.time,
            metadata=by.written,
        )

    async def _keep(self, call: _Call, before: str, made: Suggested, actor: Suggester) -> None:
        """Put on record who suggested what; know the call when a client sends it once more."""
        path = call[1]
        fresh = await self._authorship.record(path, before, made, actor)
        if fresh:
            self._calls[call] = _Made(made, frozenset(map(critic.rank, fresh)))
            while len(self._calls) > CALLS_MAX:
                self._calls.popitem(last=False)
        await self._audit.write(
            actor.name, "edit", path, answer="suggest", by="settings", outcome="done"
        )

    def _worded(
        self, error: NoMatch | NotUnique, path: str, old: str, actor: Suggester
    ) -> BadArgument | ChangedSinceRead:
        if isinstance(error, NotUnique):
            return BadArgument(
                f"old_string is not unique in {path} ({error.count} occurrences found). Include"
                " more surrounding context to make it unique, or set replace_all."
            )
        if self._readings.had(actor.id, path, old):
            return ChangedSinceRead()
        return BadArgument(f"old_string not found in {path}. Make sure it matches exactly.")
