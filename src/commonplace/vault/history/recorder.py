"""Takes down what happens to live documents, as revisions.

Documents say who is about to change a text before they change it, so the text in which one
revision ends and the next begins is at hand without keeping one for each keystroke. Nothing here
waits on the way of an edit: revisions are drafts in memory until `flush` keeps them, at most a
moment later. A draft is kept only once the log has saved what it holds. What a crash takes of them
is still in the log, whose compaction waits for us (`settle`), and is found there the next time
that the document is changed (`missed_revisions`).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable

import anyio

from commonplace.core.history import Delta, between, from_edits
from commonplace.core.text import edits
from commonplace.errors import CommonplaceError, NotFound
from commonplace.vault.documents.changes import ChangeRecorder, Edited, Plan, Purpose, Taken
from commonplace.vault.documents.folder_document import is_folder
from commonplace.vault.history.drafts import (
    TYPING_SECONDS,
    Draft,
    OpenRevision,
    Trail,
    drafted,
    mark,
    saved_seq,
)
from commonplace.vault.history.history import History, NewRevision
from commonplace.vault.history.missed_revisions import MissedRevisions
from commonplace.vault.log.log import Log
from commonplace.vault.settings import Retention
from commonplace.vault.supervisor import tell_failure
from commonplace.vault.threads import SMALL_CHARS_MAX, aside

FLUSH_SECONDS = 1.0
DRAFTS_MAX = 2_000
_DAY = 86_400.0


class Recorder(ChangeRecorder):
    """Hears of changes, and keeps them as revisions."""

    def __init__(
        self,
        history: History,
        log: Log,
        path_of: Callable[[str], Awaitable[str | None]],
        clock: Callable[[], float] = time.time,
        retention: Retention | None = None,
    ) -> None:
        self._history = history
        self._log = log
        self._missed = MissedRevisions(history, log)
        self._path_of = path_of
        self._clock = clock
        self._retention = retention
        self._trimmed = 0.0
        self._trails: dict[str, Trail] = {}
        self._flushing = anyio.Lock()

    # -- what documents tell

    def changing(self, id: str, text: Callable[[], str], actor: str, purpose: Purpose) -> None:
        """Hear that somebody is about to change a text."""
        if is_folder(id):
            return
        trail = self._trails.setdefault(id, Trail())
        now = self._clock()
        if trail.open is not None:
            if trail.open.goes_on(actor, purpose, now):
                trail.open.time = now
                return
            self._end(trail)
        trail.leaving = False
        trail.open = OpenRevision(actor, purpose, now, now, text(), text)

    def changed(
        self, id: str, taken: Taken, purpose: Purpose, saved: "asyncio.Future[int]"
    ) -> None:
        """Hear what was changed, and when it is saved."""
        trail = self._trails.get(id)
        if trail is None:
            return
        trail.saved = saved
        if trail.open is not None and isinstance(taken, Edited) and taken.edits:
            self._draft(trail, trail.open, taken.text, _delta(taken, purpose))
            trail.open = None

    def leaving(self, id: str) -> None:
        """Hear that a document is about to leave memory."""
        if (trail := self._trails.get(id)) is not None:
            self._end(trail)
            trail.leaving = True

    async def settle(self, id: str) -> None:
        """Keep all that was heard of a document until now."""
        await self.flush([id])

    # -- what happens to notes as a whole

    def note(
        self, id: str, path: str, actor: str, purpose: Purpose, text: str, *, was: str = ""
    ) -> None:
        """Take down that a note was renamed, deleted or restored; `was` is its old path."""
        self._take(id, path, actor, purpose, (text, text), was)

    def create(self, id: str, path: str, actor: str, purpose: Purpose, text: str) -> None:
        """Take down that a note was created with a text."""
        self._take(id, path, actor, purpose, ("", text), "")

    def rewrite(
        self, id: str, path: str, actor: str, purpose: Purpose, texts: tuple[str, str]
    ) -> None:
        """Take down that a note was rewritten as its file: the texts before and after."""
        self._take(id, path, actor, purpose, texts, "")

    async def rewrite_late(
        self, id: str, path: str, actor: str, purpose: Purpose, plan: Plan, text: str
    ) -> None:
        """Take down a rewriting that a crash kept from the history, if that led to the text.

        Of a note without a history nobody knows the text before, so nothing is claimed.
        """
        await self.flush([id])
        head = await self._history.head(id)
        if head is not None and head.text != text and _planned(head.text, plan) == text:
            self.rewrite(id, path, actor, purpose, (head.text, text))

    async def move_late(self, id: str, path: str, was: str, actor: str, purpose: Purpose) -> None:
        """Take down a rename that a crash kept from the history."""
        await self.flush([id])
        head = await self._history.head(id)
        if head is not None and head.path == was:
            self.note(id, path, actor, purpose, head.text, was=was)

    def _take(
        self, id: str, path: str, actor: str, purpose: Purpose, texts: tuple[str, str], was: str
    ) -> None:
        trail = self._trails.setdefault(id, Trail())
        self._end(trail)
        now = self._clock()
        before, after = texts
        made = OpenRevision(actor, purpose, now, now, before, lambda: after)
        delta = None if after != before else ()
        trail.drafts.append(Draft(made, after, delta, trail.saved, path, was))

    # -- keeping

    async def run(self) -> None:
        """Keep drafts as they come, until cancelled."""
        while True:
            await anyio.sleep(FLUSH_SECONDS)
            now = self._clock()
            for trail in self._trails.values():
                if trail.open is not None and now - trail.open.started >= TYPING_SECONDS:
                    self._end(trail)
            try:
                await self._flush([id for id, trail in self._trails.items() if trail.drafts])
                await self.trim()
            except CommonplaceError as error:
                tell_failure("The history cannot be kept now; it is tried again.", error)

    async def trim(self) -> None:
        """Drop what is older, or more, than is to be kept; once a day."""
        now = self._clock()
        if self._retention is None or now - self._trimmed < _DAY:
            return
        self._trimmed = now
        before = now - self._retention.days * _DAY
        await self._history.trim(before, self._retention.megabytes * 1_000_000)

    async def flush(self, ids: Iterable[str] | None = None) -> None:
        """Keep all drafts, and what is under way as far as it goes."""
        chosen = list(self._trails) if ids is None else [id for id in ids if id in self._trails]
        for id in chosen:
            self._draft_open(self._trails[id])
        await self._flush(chosen)

    async def close(self) -> None:
        """Keep everything."""
        for trail in self._trails.values():
            self._end(trail)
        await self._flush(list(self._trails))

    def _end(self, trail: Trail) -> None:
        """End the revision that is under way."""
        self._draft_open(trail)
        trail.open = None

    def _draft_open(self, trail: Trail) -> None:
        """Draft the revision that is under way as it is now."""
        if (now := trail.open) is None:
            return
        try:
            after = now.text()
        except CommonplaceError:  # it is being loaded again; the log knows
            trail.open = None
            return
        if after != now.before or now.revision is not None:
            self._draft(trail, now, after, None)

    def _draft(self, trail: Trail, made: OpenRevision, after: str, delta: Delta | None) -> None:
        if trail.drafts and trail.drafts[-1].open is made:
            trail.drafts.pop()
        trail.drafts.append(Draft(made, after, delta, trail.saved))

    async def _flush(self, ids: list[str]) -> None:
        async with self._flushing:
            batch: list[tuple[Draft, NewRevision]] = []
            taken: dict[str, list[Draft]] = {}
            try:
                for id in ids:
                    taken[id], self._trails[id].drafts = self._trails[id].drafts, []
                    batch += await self._ready(id, taken[id])
                await self._keep(batch)
            except BaseException:
                for id, drafts in taken.items():
                    trail = self._trails[id]
                    trail.drafts = [*drafts, *trail.drafts][-DRAFTS_MAX:]
                    trail.head = None
                raise
            for id in ids:
                trail = self._trails[id]
                if trail.leaving and trail.open is None and not trail.drafts:
                    del self._trails[id]

    async def _keep(self, batch: list[tuple[Draft, NewRevision]]) -> None:
        """Keep revisions; one whose beginning is kept already is made longer."""
        fresh: list[tuple[Draft, NewRevision]] = []
        for draft, written in batch:
            number = draft.open.revision
            if number is None:
                fresh.append((draft, written))
                continue
            try:
                await self._history.extend(number, written)
            except NotFound:
                fresh.append((draft, written))
        if fresh:
            numbers = await self._history.append([written for _, written in fresh])
            for (draft, _), number in zip(fresh, numbers, strict=True):
                draft.open.revision = number

    async def _ready(self, id: str, drafts: list[Draft]) -> list[tuple[Draft, NewRevision]]:
        """Make revisions of the drafts of a document, as far as the log has saved them."""
        found: list[tuple[Draft, NewRevision]] = []
        trail = self._trails[id]
        for draft in drafts:
            seq = await saved_seq(draft)
            if seq is None:  # it was not saved, and what is under way may be built on it
                trail.head = trail.open = None
                continue
            written = await self._written(id, draft, seq)
            if trail.head != mark(written.before) and draft.open.revision is None:
                await self._keep(found)
                missing, written = await self._missed.join(written)
                found = [(drafted(each), each) for each in missing]
            trail.head = mark(written.after)
            if written.delta or draft.delta is not None:  # else all of it is in the history
                found.append((draft, written))
        return found

    async def _written(self, id: str, draft: Draft, seq: int) -> NewRevision:
        made, delta = draft.open, draft.delta
        if delta is None:
            long = max(len(made.before), len(draft.after)) > SMALL_CHARS_MAX
            delta = (
                await aside(between, made.before, draft.after)
                if long
                else between(made.before, draft.after)
            )
        return NewRevision(
            document=id,
            path=draft.path or await self._path_of(id) or "",
            started=made.started,
            time=made.time,
            actor=made.actor,
            cause=made.purpose.cause,
            set=made.purpose.set,
            delta=delta,
            before=made.before,
            after=draft.after,
            seq=seq,
            note=draft.note,
        )


def _delta(edited: Edited, purpose: Purpose) -> Delta:
    return purpose.delta(edited) if purpose.delta else from_edits(edited.before, edited.edits)


def _planned(text: str, plan: Plan) -> str | None:
    """Return what a plan makes of a text; None if it cannot be made there."""
    try:
        return edits.apply(text, plan(text))
    except CommonplaceError:
        return None
