"""The history as people and assistants read it: what changed, by whom, and each line's author.

Answers are plain values, the same for the page, the command line and tools. Text from notes stands
in them in one line, bounded.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from commonplace.core import critic
from commonplace.core.history import apply, inverse
from commonplace.core.text import quotation
from commonplace.core.text.edits import diff
from commonplace.core.text.unified_diff import unified
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.vault.documents.changes import Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.history.history import ACCEPT_CAUSE, History, Revision, RevisionFilter
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.log.log import Log
from commonplace.vault.search.texts import Texts
from commonplace.vault.threads import aside

Json = Mapping[str, object]

LIMIT_MAX = 500
_CHANGES_SHOWN = 3
_PART_MAX = 120
_LINE_MAX = 400
_NAMES = {"file": "another program", "server": "Commonplace", "review:undo": "a person"}


@dataclass(frozen=True, slots=True)
class TimelineQuery:
    """Which revisions somebody wants to see, as people say it; empty for all.

    `path` is a note, also one that is gone, `folder` all beneath one, `by` a name.
    """

    path: str = ""
    folder: str = ""
    by: str = ""
    cause: str = ""
    set: str = ""
    since: float = 0.0
    before: int = 0
    after: int = 0
    limit: int = 50
    offset: int = 0


# Forgets a passage in the records of one document, or of all; tells in how many it was.
Forget = Callable[[str, str], Awaitable[int]]


class Timeline:
    """Answers questions about the history."""

    def __init__(
        self, history: History, log: Log, recorder: Recorder, notes: LiveNotes, texts: Texts
    ) -> None:
        self._history = history
        self._log = log
        self._recorder = recorder
        self._notes = notes
        self._texts = texts
        self._others: list[Forget] = []

    def teach(self, forget: Forget) -> None:
        """Say who else has to forget a passage that the history forgets."""
        self._others.append(forget)

    async def page(self, asked: TimelineQuery) -> Json:
        """List revisions of a note or of the vault, newest first.

        `cursor` is for `before`, to go on; `latest` is one for `after`: what came since.
        """
        await self._recorder.flush()
        wanted = RevisionFilter(
            document=await self.document(asked.path) if asked.path else "",
            actor=await self.actor(asked.by) if asked.by else "",
            cause=asked.cause,
            folder=asked.folder.strip("/"),
            set=asked.set,
            since=asked.since,
            before=asked.before,
            after=asked.after,
            limit=min(asked.limit, LIMIT_MAX) + 1,
            offset=asked.offset,
        )
        found = await self._history.revisions(wanted)
        shown = found[: wanted.limit - 1]
        newest = await self._history.revisions(RevisionFilter(limit=1))
        return {
            "revisions": [row(each) for each in shown],
            "cursor": shown[-1].id if len(found) > len(shown) else None,
            "latest": newest[0].id if newest else 0,
            "people": [_person(each) for each in await self._history.names()],
        }

    async def blame(self, path: str, offset: int = 1, limit: int = 0) -> Json:
        """List the lines of a note with their authors, as `read` numbers them."""
        found = self._texts.find(path)
        document = await self._notes.ids.id_of(found)
        await self._recorder.flush([document])
        marked = await self._texts.marked(found)
        head = await self._history.head(document)
        runs = head.blame if head is not None and head.text == marked else ((len(marked), 0),)
        numbers = [number for length, number in runs for _ in range(length)]
        known = await self._history.actors(sorted({number for _, number in runs if number}))
        accepted = await self._history.acceptors(sorted(known))
        view = critic.accepted_view(critic.parse(marked))
        lines: list[Json] = []
        at = 0
        for number, line in enumerate(view.text.splitlines(keepends=True), start=1):
            if number >= offset and (not limit or len(lines) < limit):
                whose = [numbers[view.marked(at + place)] for place in range(len(line))]
                lines.append(_line(number, line, whose, known, accepted))
            at += len(line)
        return {"path": found, "lines": lines, "total": len(view.text.splitlines())}

    async def spans(self, path: str) -> Json:
        """Return whose each stretch of a note's marked text is, for the page."""
        found = self._texts.find(path)
        document = await self._notes.ids.id_of(found)
        await self._recorder.flush([document])
        head = await self._history.head(document)
        runs = head.blame if head is not None else ()
        known = await self._history.actors(sorted({number for _, number in runs if number}))
        accepted = await self._history.acceptors(sorted(known))
        authors = {
            str(number): {
                **_author(each),
                "accepted": [named(actor)[1] for actor in accepted.get(number, ())],
            }
            for number, each in known.items()
        }
        return {"path": found, "runs": [list(run) for run in runs], "authors": authors}

    async def text(self, revision: int) -> Json:
        """Return the text after a revision."""
        await self._recorder.flush()
        one = await self._find(revision)
        return {**row(one), "text": await self._history.text(revision)}

    async def diff(self, revision: int, other: int = 0) -> Json:
        """Return what changed between two revisions of a note; without another, in one."""
        await self._recorder.flush()
        one = await self._find(revision)
        new = await self._history.text(revision)
        if other:
            if (await self._find(other)).document != one.document:
                raise BadArgument("These are revisions of two notes; name two of one note.")
            old = await self._history.text(other)
        else:
            old = apply(new, inverse(one.delta))
        cause = "" if other else one.cause
        seen, now = await aside(_views, cause, old, new)
        texts = {"old": old, "new": new, "seen_old": seen, "seen_new": now}
        return {**row(one), "diff": unified(old, new), **texts}

    async def restore(self, revision: int, who: str) -> Json:
        """Make a note as it was after a revision: that is a new revision."""
        self._notes.refuse_read_only()
        one = await self._find(revision)
        old = await self._history.text(revision)
        path = await self._notes.note_of(one.document)
        purpose = Purpose("restore")
        edited = await self._notes.edit(path, lambda now: diff(now, old), f"person:{who}", purpose)
        return {"path": path, "revision": revision, "changed": edited.text != edited.before}

    async def forget(self, passage: str, path: str = "") -> Json:
        """Make a passage unreadable in the history; refused while a note still has it."""
        if len(passage.strip()) < 3:
            raise BadArgument("Give at least three characters of what is to be forgotten.")
        await self._recorder.flush()
        document = await self.document(path) if path else ""
        if path and passage in await self._standing(path):
            raise BadArgument(f"{path} still holds it. Delete it there first, then forget it.")
        changed = await self._history.forget(passage, document)
        kept = [await self._path(each) for each in changed if not await self._compact(each)]
        records = [await forget(passage, document) for forget in self._others]
        await self._log.scrub()
        return {
            "forgotten": sum(changed.values()),
            "decisions": sum(records),
            "log_keeps": kept,
        }

    async def _compact(self, document: str) -> bool:
        """Let the log forget how a text came about; tell whether it could."""
        try:
            await self._notes.compact(document)
        except CommonplaceError:
            return False
        return True

    async def _path(self, document: str) -> str:
        return await self._notes.ids.path_of(document) or document

    async def document(self, path: str) -> str:
        """Find the document of a note, also of one that is gone."""
        try:
            return await self._notes.ids.id_of(self._texts.find(path))
        except NotFound:
            for name in (path, f"{path}.md"):
                if (found := await self._history.document_at(name)) is not None:
                    return found
            raise

    async def actor(self, name: str) -> str:
        """Return the actor that a name means; `BadArgument` if there is none, or more than one."""
        await self._recorder.flush()
        known = await self._history.names()
        if name in known:
            return name
        found = [each for each in known if each.partition(":")[2].casefold() == name.casefold()]
        if len(found) == 1:
            return found[0]
        if found:
            raise BadArgument(f"{name} may be {' or '.join(found)}. Say which.")
        names = ", ".join(each for each in known if ":" in each) or "nobody"
        raise NotFound(f"Nobody called {quotation.name(name)} is in the history. Known: {names}.")

    async def _find(self, revision: int) -> Revision:
        one = await self._history.find(revision)
        if one is None:
            raise NotFound(f"There is no revision {revision}, or it is no longer kept.")
        return one

    async def _standing(self, path: str) -> str:
        try:
            return await self._texts.marked(self._texts.find(path))
        except NotFound:
            return ""


def _views(cause: str, old: str, new: str) -> tuple[str, str]:
    """Return two texts as a reader compares them: without marks, unless the marks differ alone.

    What is suggested is seen as done; what is accepted, as it came into the text.
    """
    view = critic.base if cause == ACCEPT_CAUSE else critic.accepted
    seen = view(old), view(new)
    return seen if seen[0] != seen[1] else (old, new)


def row(each: Revision) -> dict[str, object]:
    """Return a revision as plain values."""
    return {
        "revision": each.id,
        **_author(each),
        "path": each.path,
        "was": each.note,
        "set": each.set,
        "added": sum(len(change.added) for change in each.delta),
        "removed": sum(len(change.removed) for change in each.delta),
        "changes": [
            shown
            for change in each.delta[:_CHANGES_SHOWN]
            if any(shown := [without_marks(part) for part in (change.removed, change.added)])
        ],
        "more": max(0, len(each.delta) - _CHANGES_SHOWN),
    }


def named(actor: str) -> tuple[str, str]:
    """Return what kind of actor it is, and its name."""
    kind, _, name = actor.partition(":")
    if kind in ("person", "assistant"):
        return kind, quotation.name(name or "somebody")
    if actor == "review:undo":
        return "person", _NAMES[actor]
    return "program", _NAMES.get(actor, quotation.name(actor or "before the history"))


def _person(actor: str) -> dict[str, str]:
    kind, name = named(actor)
    return {"by": name, "kind": kind}


def _author(each: Revision) -> dict[str, object]:
    kind, name = named(each.actor)
    moment = datetime.fromtimestamp(each.time, UTC).isoformat(timespec="seconds")
    return {"time": moment, "kind": kind, "by": name, "cause": each.cause}


def without_marks(text: str, most: int = _PART_MAX) -> str:
    """Return a changed passage for people to see: in one line, without a suggestion's marks."""
    for mark in critic.DELIMITERS:
        text = text.replace(mark, "")
    return quotation.one_line(text, most)


def _line(
    number: int,
    line: str,
    whose: Sequence[int],
    known: Mapping[int, Revision],
    accepted: Mapping[int, Sequence[str]],
) -> Json:
    """Return one line with those who wrote it, who wrote most first, and who accepted that."""
    counts: dict[str, tuple[int, float]] = {}
    for each in whose[: len(line.rstrip("\n")) or None]:
        one = known.get(each)
        name = "before" if one is None else named(one.actor)[1]
        count, time = counts.get(name, (0, 0.0))
        counts[name] = count + 1, max(time, one.time if one else 0.0)
    ranked = sorted(counts, key=lambda name: -counts[name][0])
    newest = max((time for _, time in counts.values()), default=0.0)
    stamp = datetime.fromtimestamp(newest, UTC).isoformat(timespec="seconds") if newest else None
    return {
        "line": number,
        "by": ranked,
        "accepted": sorted({named(who)[1] for each in whose for who in accepted.get(each, ())}),
        "time": stamp,
        "text": quotation.one_line(line.rstrip("\n"), _LINE_MAX),
    }
