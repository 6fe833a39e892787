"""Edits many notes together: each as its live document, or as its file if nobody works on it.

A note that is just its file stays so: it is rewritten on disk like another program would do it,
without a document of its own, so that thousands take a second or two. What others save to it in
the meantime is not lost: it comes out of the swap and is edited instead.
"""

import logging
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, cast

import anyio
import anyio.to_thread

from commonplace.core import critic
from commonplace.core.text import edits, endings
from commonplace.core.text.edits import Edit
from commonplace.errors import CommonplaceError, NotFound, Unavailable
from commonplace.vault.documents.changes import Plan, Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.batch import NewBytes, Swaps
from commonplace.vault.files.conflict_copy import keep_conflict_copy
from commonplace.vault.files.reader import content_sha, reason
from commonplace.vault.files.roots import Roots

# While one waits for the disk another reads; more would be in each other's way.
_THREADS_MAX = 4
_TOGETHER_MAX = 64
_ROUNDS_MAX = 20
_RENAME = Purpose("rename")

Json = Mapping[str, object]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A note that was edited: how to take that back, from which text, and what it ended."""

    path: str
    back: tuple[Edit, ...]
    after: bytes
    ended: tuple[critic.EndedSuggestion, ...] = ()

    def undoing(self, text: str) -> Sequence[Edit] | None:
        """Return the edits that take it back; None if the text has changed since."""
        return self.back if content_sha(text.encode()) == self.after else None

    def packed(self) -> Json:
        """Return the way back as plain values."""
        changes = [[each.start, each.end, each.text] for each in self.back]
        return {"path": self.path, "back": changes, "after": self.after.hex()}

    @classmethod
    def unpacked(cls, kept: Json) -> "Rewritten":
        """Return what was packed."""
        fields = cast("dict[str, Any]", kept)
        back = tuple(Edit(*change) for change in fields["back"])
        return cls(fields["path"], back, bytes.fromhex(fields["after"]))


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """A note that was rewritten as its file: its texts, for the history."""

    path: str
    before: str
    after: str


@dataclass(slots=True)
class Outcome:
    """What became of the notes; `failed` says why, by path, `left` which links could not follow.

    `files` are those whose documents know nothing of it, `later` those that failed because of the
    disk: to try again may help.
    """

    done: list[Rewritten] = field(default_factory=list[Rewritten])
    left: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    files: list[RewrittenFile] = field(default_factory=list[RewrittenFile])
    later: set[str] = field(default_factory=set[str])

    @contextmanager
    def noting(self, *paths: str) -> Generator[None]:
        """Note what fails, and go on."""
        try:
            yield
        except Unavailable as error:
            self._note_later(paths, str(error))
        except CommonplaceError as error:
            self.failed |= dict.fromkeys(paths, str(error))
        except OSError as error:
            self._note_later(paths, f"{reason(error)}.")

    def _note_later(self, paths: Collection[str], why: str) -> None:
        self.failed |= dict.fromkeys(paths, f"{why} Its links follow as soon as it can be written.")
        self.later |= {*paths}


@dataclass(frozen=True, slots=True)
class _Rewriting:
    """A note as it was read, and as it is to be."""

    path: str
    plan: Plan
    data: bytes
    before: str
    edits: Sequence[Edit]
    after: str
    change: NewBytes


class Rewriter:
    """Edits many notes at once."""

    def __init__(self, roots: Roots, notes: LiveNotes) -> None:
        self._roots = roots
        self._notes = notes

    async def rewrite(
        self,
        plans: Mapping[str, Plan],
        actor: str,
        key: str,
        behind: Collection[str] = (),
        purpose: Purpose = _RENAME,
    ) -> Outcome:
        """Carry out the plan of each note; one that fails does not keep the others.

        The key names what is left behind on disk if a crash comes between, for `sweep`. `behind`
        are notes whose files lack edits that a crash kept from them: edited there once more, such
        an edit would be made twice.
        """
        outcome = Outcome()
        live = [path for path in plans if path in behind or self._notes.is_live(path)]
        files = [path for path in plans if path not in set(live)]
        async with anyio.create_task_group() as tasks:
            for path in live:
                tasks.start_soon(self._edit, path, plans[path], actor, purpose, outcome)
            threads = min(_THREADS_MAX, len(files))
            for number in range(threads):
                portion = files[number::threads]
                job = partial(self._rewrite_files, portion, plans, outcome, key)
                tasks.start_soon(anyio.to_thread.run_sync, job)
        return outcome

    async def _edit(
        self, path: str, plan: Plan, actor: str, purpose: Purpose, outcome: Outcome
    ) -> None:
        with outcome.noting(path):
            edited = await self._notes.edit(path, plan, actor, purpose)
            outcome.done.append(_rewritten(path, edited.before, edited.edits, edited.text))

    def sweep(self, plans: Mapping[str, Plan], key: str) -> set[str]:
        """Remove what a crash left behind; what nobody can account for becomes a note.

        Return the notes where that failed: what was left lies there still, and must not be edited
        under the same key, which would remove it.
        """
        kept: set[str] = set()
        for path, plan in plans.items():
            try:
                self._sweep(path, plan, _token(key, path))
            except CommonplaceError as error:
                logger.warning("%s", error)
                kept.add(path)
        return kept

    def _sweep(self, path: str, plan: Plan, token: str) -> None:
        if (look := self._roots.spare(path, token)) is None:
            return
        if not self._accounted_for(path, look.data, plan):
            keep_conflict_copy(self._roots, path, token, datetime.now(UTC).date())
        self._roots.clear(path, token)

    def _accounted_for(self, path: str, spare: bytes, plan: Plan) -> bool:
        """Tell whether this is the text before the edit, or part of that after, and not another."""
        try:
            data, _ = self._roots.read(path)
            now, form = endings.decode(data)
            wanted = edits.apply(now, plan(now))
            if endings.encode(wanted, form, now).startswith(spare):
                return True
            other, _ = endings.decode(spare)
        except CommonplaceError:
            return False
        return edits.apply(other, plan(other)) == wanted

    def _rewrite_files(
        self, portion: Sequence[str], plans: Mapping[str, Plan], outcome: Outcome, key: str
    ) -> None:
        with self._roots.swaps() as swaps:
            for first in range(0, len(portion), _TOGETHER_MAX):
                drafts: list[_Rewriting] = []
                for path in portion[first : first + _TOGETHER_MAX]:
                    with outcome.noting(path):
                        drafts.append(self._drafted(path, plans[path], _token(key, path)))
                with outcome.noting(*(draft.path for draft in drafts)):
                    self._rewrite_together(swaps, drafts, outcome)

    def _drafted(self, path: str, plan: Plan, token: str) -> _Rewriting:
        on_disk = path
        try:
            data, _ = self._roots.read_patiently(path)
        except NotFound:
            on_disk = self._roots.find(path) or path
            data, _ = self._roots.read_patiently(on_disk)
        text, form = endings.decode(data)
        changes = plan(text)
        after = edits.apply(text, changes)
        new = data if after == text else endings.encode(after, form, text)
        return _Rewriting(path, plan, data, text, changes, after, NewBytes(on_disk, new, token))

    def _rewrite_together(self, swaps: Swaps, drafts: list[_Rewriting], outcome: Outcome) -> None:
        changed = [draft for draft in drafts if draft.change.data != draft.data]
        swapped = swaps.swap([each.change for each in changed])
        outs = {each.path: out for each, out in zip(changed, swapped, strict=True)}
        for draft in drafts:
            with outcome.noting(draft.path):
                made = self._settled(swaps, draft, outs.get(draft.path, draft.data))
                outcome.done.append(_rewritten(made.path, made.before, made.edits, made.after))
                if made.before != made.after:
                    outcome.files.append(RewrittenFile(made.path, made.before, made.after))

    def _settled(self, swaps: Swaps, draft: _Rewriting, out: bytes | OSError) -> _Rewriting:
        """Clear up after a change; if another program saved just before it, edit that instead."""
        if isinstance(out, OSError):
            raise out
        change, before = draft.change, draft.data
        for _ in range(_ROUNDS_MAX):
            if out == before:
                swaps.clear(change)
                return draft
            text, form = endings.decode(out)
            changes = draft.plan(text)
            after = edits.apply(text, changes)
            before, new = out, endings.encode(after, form, text)
            out, _ = self._roots.swap(change.path, new, change.token)
            draft = replace(draft, before=text, edits=changes, after=after)
        raise Unavailable("Another program rewrites it all the time. Try again later.")


def _rewritten(path: str, before: str, changes: Sequence[Edit], after: str) -> Rewritten:
    back: list[Edit] = []
    moved = 0
    for edit in changes:
        start = edit.start + moved
        back.append(Edit(start, start + len(edit.text), before[edit.start : edit.end]))
        moved += len(edit.text) - (edit.end - edit.start)
    ended = critic.ended(before, after, changes)
    return Rewritten(path, tuple(back), content_sha(after.encode()), tuple(ended))


def _token(key: str, path: str) -> str:
    return f"{key}-{content_sha(path.encode()).hex()[:8]}"
