"""Edits many notes together: each as its live document, or as its file if nobody works on it.

A note that is just its file stays so: it is rewritten on disk like another program would do it,
without a document of its own, so that thousands take a second or two. What others save to it in
the meantime is not lost: it comes out of the swap and is edited instead.
"""

import hashlib
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

import anyio
import anyio.to_thread

from commonplace.core import edits, endings
from commonplace.core.edits import Edit
from commonplace.errors import CommonplaceError, NotFound, Unavailable
from commonplace.vault.changes import Plan
from commonplace.vault.disk import reason
from commonplace.vault.roots import Roots
from commonplace.vault.shelf import Shelf
from commonplace.vault.swaps import Change, Swaps

# While one waits for the disk another reads; more would be in each other's way.
_THREADS_MAX = 4
_TOGETHER_MAX = 64
_ROUNDS_MAX = 20


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A note that was edited: how to take that back, and from which text."""

    path: str
    back: tuple[Edit, ...]
    after: bytes

    def undoing(self, text: str) -> Sequence[Edit] | None:
        """Return the edits that take it back; None if the text has changed since."""
        return self.back if _hash(text) == self.after else None


@dataclass(slots=True)
class Outcome:
    """What became of the notes; `failed` says why, by path, `left` which links could not follow."""

    done: list[Rewritten] = field(default_factory=list[Rewritten])
    left: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])

    @contextmanager
    def noting(self, *paths: str) -> Generator[None]:
        """Note what fails, and go on."""
        try:
            yield
        except CommonplaceError as error:
            self.failed |= dict.fromkeys(paths, str(error))
        except OSError as error:
            self.failed |= dict.fromkeys(paths, f"{reason(error)}.")


@dataclass(frozen=True, slots=True)
class _Draft:
    """A note as it was read, and as it is to be."""

    path: str
    seen: "_Seen"
    data: bytes
    after: str
    change: Change


class Rewriter:
    """Edits many notes at once."""

    def __init__(self, roots: Roots, shelf: Shelf) -> None:
        self._roots = roots
        self._shelf = shelf

    async def rewrite(
        self, plans: Mapping[str, Plan], actor: str, key: str, behind: Collection[str] = ()
    ) -> Outcome:
        """Carry out the plan of each note; one that fails does not keep the others.

        The key names what is left behind on disk if a crash comes between, for `sweep`. `behind`
        are notes whose files lack edits that a crash kept from them: edited there once more, such
        an edit would be made twice.
        """
        outcome = Outcome()
        live = [path for path in plans if path in behind or self._shelf.is_live(path)]
        files = [path for path in plans if path not in set(live)]
        async with anyio.create_task_group() as tasks:
            for path in live:
                tasks.start_soon(self._edit, path, plans[path], actor, outcome)
            threads = min(_THREADS_MAX, len(files))
            for number in range(threads):
                portion = files[number::threads]
                job = partial(self._rewrite_files, portion, plans, outcome, key)
                tasks.start_soon(anyio.to_thread.run_sync, job)
        return outcome

    async def _edit(self, path: str, plan: Plan, actor: str, outcome: Outcome) -> None:
        seen = _Seen(plan)
        try:
            edited = await self._shelf.edit(path, seen.plan, actor)
        except CommonplaceError as error:
            outcome.failed[path] = str(error)
        else:
            outcome.done.append(seen.rewritten(path, edited.text))

    def sweep(self, plans: Mapping[str, Plan], key: str) -> None:
        """Remove what a crash left behind; what nobody can account for becomes a note."""
        for path, plan in plans.items():
            token = _token(key, path)
            if (spare := self._roots.spare(path, token)) is None:
                continue
            if not self._accounted_for(path, spare, plan):
                stem = path.removesuffix(".md")
                name = f"{stem} (conflict {datetime.now(UTC).date().isoformat()}).md"
                with suppress(CommonplaceError):
                    self._roots.create(name, spare, f"{token}-copy")
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
                drafts: list[_Draft] = []
                for path in portion[first : first + _TOGETHER_MAX]:
                    with outcome.noting(path):
                        drafts.append(self._drafted(path, plans[path], _token(key, path)))
                with outcome.noting(*(draft.path for draft in drafts)):
                    self._rewrite_together(swaps, drafts, outcome)

    def _drafted(self, path: str, plan: Plan, token: str) -> _Draft:
        on_disk = path
        try:
            data, _ = self._roots.read(path)
        except NotFound:
            on_disk = self._roots.find(path) or path
            data, _ = self._roots.read(on_disk)
        text, form = endings.decode(data)
        seen = _Seen(plan)
        after = edits.apply(text, seen.plan(text))
        new = data if after == text else endings.encode(after, form, text)
        return _Draft(path, seen, data, after, Change(on_disk, new, token))

    def _rewrite_together(self, swaps: Swaps, drafts: list[_Draft], outcome: Outcome) -> None:
        changed = [draft for draft in drafts if draft.change.data != draft.data]
        outs = dict(zip(changed, swaps.swap([each.change for each in changed]), strict=True))
        for draft in drafts:
            with outcome.noting(draft.path):
                after = self._settled(swaps, draft, outs.get(draft, draft.data))
                outcome.done.append(draft.seen.rewritten(draft.path, after))

    def _settled(self, swaps: Swaps, draft: _Draft, out: bytes | OSError) -> str:
        """Clear up after a change; if another program saved just before it, edit that instead."""
        if isinstance(out, OSError):
            raise out
        change, before = draft.change, draft.data
        for _ in range(_ROUNDS_MAX):
            if out == before:
                swaps.clear(change)
                return draft.after
            text, form = endings.decode(out)
            after = edits.apply(text, draft.seen.plan(text))
            before, new = out, endings.encode(after, form, text)
            out, _ = self._roots.swap(change.path, new, change.token)
            draft = replace(draft, after=after)
        raise Unavailable("It is being rewritten by another program all the time.")


class _Seen:
    """A plan that remembers what it was last asked for."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._text = ""
        self._edits: Sequence[Edit] = ()

    def plan(self, text: str) -> Sequence[Edit]:
        self._text, self._edits = text, self._plan(text)
        return self._edits

    def rewritten(self, path: str, after: str) -> Rewritten:
        back: list[Edit] = []
        moved = 0
        for edit in self._edits:
            start = edit.start + moved
            back.append(Edit(start, start + len(edit.text), self._text[edit.start : edit.end]))
            moved += len(edit.text) - (edit.end - edit.start)
        return Rewritten(path, tuple(back), _hash(after))


def _token(key: str, path: str) -> str:
    return f"{key}-{_hash(path).hex()[:8]}"


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
