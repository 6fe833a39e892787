"""Change sets as plain JSON values: what the API answers, and what commands ask in one process."""

from collections.abc import Mapping
from dataclasses import asdict

from commonplace.core.risks import Risk
from commonplace.server.api.decisions.rows import approval, suggestion
from commonplace.vault.sets.approve import WriteAnswers
from commonplace.vault.sets.contents import SetContents, Summary
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.sets.decision import SetDecision
from commonplace.vault.sets.outcomes import outcomes
from commonplace.vault.sets.parts import ChangeSets
from commonplace.vault.suggestions.comments import Thread
from commonplace.vault.suggestions.review import Verdict

ENDED_MAX = 500

Row = dict[str, object]


class SetDesk:
    """The change sets of a vault that is open here."""

    def __init__(self, sets: ChangeSets) -> None:
        self._sets = sets

    @property
    def answers(self) -> WriteAnswers:
        """What people say to the writes that wait."""
        return self._sets.answers

    async def listed(self) -> list[Row]:
        """Return all sets, the latest first."""
        return [summary(one) for one in await self._sets.reader.listed()]

    async def shown(self, number: int) -> Row:
        """Return one set with all that it refers to."""
        contents = await self._sets.reader.get(number)
        found = await self._sets.assessor.assess(contents)
        undoable = await self._sets.decisions.listed(number)
        said = await self._sets.threads(contents)
        return {
            "set": summary(contents.summary),
            "notes": notes_of(contents, found, said),
            "done": [asdict(each) for each in contents.done],
            "ended": [_ended(each) for each in contents.ended[-ENDED_MAX:]],
            "decisions": [decision(each) for each in undoable],
        }

    async def history(self, number: int) -> Row:
        """Return what became of each change of a set."""
        contents = await self._sets.reader.get(number)
        return {"set": summary(contents.summary), "changes": outcomes(contents)}

    async def decide(
        self, number: int, verdict: Verdict, chosen: Chosen, who: str, reason: str = ""
    ) -> Row:
        """Accept or reject part of a set, or all of it."""
        return decision(await self._sets.decisions.decide(number, verdict, chosen, who, reason))

    async def decide_soon(
        self, number: int, verdict: Verdict, chosen: Chosen, who: str, reason: str = ""
    ) -> Row:
        """Do the same, answered once it is on record, if carrying it out takes long."""
        decide = self._sets.decisions.decide_soon
        return decision(await decide(number, verdict, chosen, who, reason))

    def following(self, number: int) -> Row:
        """Tell what is yet to follow of the last decision on a set."""
        return asdict(self._sets.decisions.following(number))

    async def undo(self, number: int, who: str, id: int | None = None) -> Row:
        """Take back the last decision on a set, or one that is named."""
        return decision(await self._sets.decisions.undo(number, who, id))


def summary(one: Summary) -> Row:
    """Put a set as it is shown in a list; times in milliseconds."""
    kept = one.set
    return {
        "number": kept.number,
        "title": kept.title,
        "why": kept.why,
        "who": kept.who,
        "began": int(kept.began * 1000),
        "last": int(one.last * 1000),
        "state": one.state,
        "sent_back": kept.sent_back,
        "conversation": kept.conversation,
        "notes": one.notes,
        "added": one.added,
        "removed": one.removed,
        "parked": one.parked,
        **asdict(one.counts),
    }


def notes_of(
    contents: SetContents, found: Mapping[str, list[Risk]], said: Mapping[str, list[Thread]]
) -> list[Row]:
    """Put what waits note by note, those with a risk first."""
    changes: dict[str, list[Row]] = {}
    writes: dict[str, list[Row]] = {}
    for each in contents.pending:
        changes.setdefault(each.path, []).append(suggestion(each))
    for one in contents.parked:
        more = {name: one.change.get(name) for name in ("to", "text")}
        writes.setdefault(one.path, []).append({**approval(one), **more})
    return [
        {
            "path": path,
            "risks": [asdict(risk) for risk in found.get(path, [])],
            "changes": changes.get(path, []),
            "writes": writes.get(path, []),
            "threads": [_thread(each) for each in said.get(path, [])],
        }
        for path in sorted({*changes, *writes}, key=lambda path: (path not in found, path))
    ]


def decision(one: SetDecision) -> Row:
    """Put a decision; the time in milliseconds."""
    names = ("id", "set", "verdict", "who", "reason", "count")
    return {**{name: getattr(one, name) for name in names}, "time": int(one.time * 1000)}


def _thread(one: Thread) -> Row:
    said = [
        {"text": each.text, "who": each.author or "", "time": each.time and int(each.time * 1000)}
        for each in one.said
    ]
    return {"line": one.line, "about": one.about, "change": one.suggestion, "said": said}


def _ended(one: object) -> Row:
    names = ("time", "who", "decision", "path", "id", "old", "new", "reason")
    return {name: getattr(one, name) for name in names}
