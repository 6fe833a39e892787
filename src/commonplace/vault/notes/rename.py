"""Renames that keep every link: the file moves, and all links to it follow, in one step.

What a crash cut short is finished or forgotten at the next start (`durable_renames`). Links that
could have meant another note as well are left as they are and reported. A link by the new name that
means another note is made to go on meaning it.
"""

import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from commonplace.core import critic, links, paths
from commonplace.core.links import respell
from commonplace.errors import BadArgument, Conflict, NotFound
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.indexer import Indexer, LookAt
from commonplace.vault.index.reader import Index
from commonplace.vault.log.log import Log
from commonplace.vault.notes.durable_renames import DurableRenames
from commonplace.vault.notes.rename_plan import Planner, RenamePlan, RenameUndo, titled, turned
from commonplace.vault.notes.rewrite import Outcome, Rewritten
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker, Json
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.authorship import Authorship
from commonplace.vault.suggestions.ends.ends import Ends

RENAME = "rename_note"
_UNDO_MAX = 50
TOUCHED_MAX = 200


@dataclass(frozen=True, slots=True)
class Renamed:
    """A rename that was made: how many links followed, which were left, and how to undo it."""

    path: str
    links: int
    left: list[str]
    undo: str
    touched: list[str]
    ended: Mapping[str, Sequence[critic.EndedSuggestion]] = field(
        default_factory=dict[str, Sequence[critic.EndedSuggestion]]
    )
    """The suggestions that were changed with their links or title, by note."""


class Renames:
    """Renames notes, one at a time."""

    def __init__(
        self,
        roots: Roots,
        log: Log,
        notes: LiveNotes,
        index: Index,
        indexer: Indexer,
        texts: Texts,
        authorship: Authorship,
        ends: Ends,
        *,
        several_roots: bool,
    ) -> None:
        self._roots = roots
        self._notes = notes
        self._index = index
        self._indexer = indexer
        self._texts = texts
        self._authorship = authorship
        self._ends = ends
        self._several_roots = several_roots
        self._undo: OrderedDict[str, tuple[RenamePlan, list[Rewritten]]] = OrderedDict()
        self._recent: OrderedDict[str, str] = OrderedDict()
        self._durable = DurableRenames(roots, log, notes, texts)

    @property
    def _planner(self) -> Planner:
        """Plan over the index as it is open now: one that was deleted is opened anew."""
        index, roots = self._index, self._roots
        return Planner(
            index.links,
            lambda path: (about := index.about(path)) and about.note,
            lambda path: roots.stamp(path) is not None,
            several_roots=self._several_roots,
        )

    def teach(self, permissions: Permissions) -> None:
        """Say how a rename that an assistant was permitted is made."""
        permissions.teach(RENAME, self._perform, suggests=False)

    async def rename(
        self,
        path: str,
        to: str,
        actor: str,
        *,
        title: str | None = None,
        set: str = "",  # noqa: A002 (the domain's word)
        undo: RenameUndo = RenameUndo(),  # noqa: B008 (frozen)
    ) -> Renamed:
        """Give a note another path, and all links to it with it; a title too if one is given.

        With `undo`, it takes another rename back.
        """
        self._notes.refuse_read_only()
        old = self._texts.find(path)
        await self._notes.queue.catch_up_index()
        if old == to and title is not None:
            return await self._followed(await self._retitle(old, title, actor), actor)
        text = await self._texts.accepted(old)
        async with self._indexer.held() as look_at:
            renamed = await self._rename(old, to, (actor, set), text, title, undo)
            self._ends.follow(old, renamed.path)
            await self._see(renamed, look_at)
        await self._notes.queue.catch_up_index()
        return await self._followed(renamed, actor)

    async def undo(self, token: str, actor: str) -> Renamed:
        """Take a rename back, links and all."""
        self._notes.refuse_read_only()
        async with self._indexer.held() as look_at:
            undone = await self._undo_rename(token, actor)
            self._ends.follow(undone.touched[0], undone.path)
            await self._see(undone, look_at)
        await self._notes.queue.catch_up_index()
        return await self._followed(undone, actor)

    async def _rename(
        self,
        old: str,
        new: str,
        whose: tuple[str, str],
        text: str,
        title: str | None,
        undo: RenameUndo,
    ) -> Renamed:
        async with self._durable.alone:
            new = self.check(old, new)
            intent, left = self._planner.plan(old, new, text, title)
            intent.actor, intent.set = whose
            outcome = await self._durable.carry_out(intent, undo.limit(intent))
        token = self._remember(intent, outcome.done)
        return _renamed(intent, outcome, left, token)

    async def carry_out(self, intent: RenamePlan, left: list[str], actor: str) -> Renamed:
        """Move a file as planned, an attachment's too, with the links that the intent names."""
        async with self._durable.alone:
            self.check(intent.old, intent.new)
            intent.actor = actor
            outcome = await self._durable.carry_out(intent)
        token = self._remember(intent, outcome.done)
        return _renamed(intent, outcome, left, token)

    async def _retitle(self, path: str, title: str, actor: str) -> Renamed:
        """Give a note another title alone; its file has the right name already."""
        plan = partial(titled, title=title, stem=paths.stem(path))
        edited = await self._notes.edit(path, plan, actor)
        ended = critic.ended(edited.before, edited.text, edited.edits)
        return Renamed(path, 0, [], "", [path], {path: ended})

    async def _undo_rename(self, token: str, actor: str) -> Renamed:
        if token not in self._undo:
            raise NotFound("There is no such rename to undo, or it was undone already.")
        async with self._durable.alone:
            intent, done = self._undo[token]
            self.check(intent.new, intent.old)
            del self._undo[token]
            back = RenamePlan(intent.new, intent.old, links=turned(intent), actor=actor)
            before = {back.path(each.path): each for each in done}
            outcome = await self._durable.carry_out(back, before)
        self._recent.pop(intent.old, None)
        return _renamed(back, outcome, [], "")

    async def recover(self) -> None:
        """Finish the renames that a crash cut short, or forget those that had not begun."""
        await self._durable.recover()

    async def run(self) -> None:
        """Finish renames whose links could not follow, as soon as they can, until cancelled."""
        await self._durable.run()

    async def close(self) -> None:
        """Wait until the index has seen all that was renamed, and the history has it."""
        await self._durable.close()

    def followed(self, old: str, new: str) -> list[Rewritten] | None:
        """Return the notes whose links followed a rename that was made a moment ago."""
        made = (done for plan, done in reversed(self._undo.values()) if plan.moves(old, new))
        return next(made, None)

    def lately(self, old: str) -> str | None:
        """Tell where a note went that had this path a while ago."""
        return self._recent.get(old)

    # -- before

    def check(self, old: str, new: str) -> str:
        """Refuse a path that the note cannot have; returns it in canonical form."""
        is_note = not paths.is_attachment(old)
        new = paths.new_note_path(new) if is_note else paths.new_file_path(new)
        if any(character in paths.stem(new) for character in respell.UNLINKABLE):
            raise BadArgument(f"A note's name cannot hold any of {respell.UNLINKABLE} in it.")
        if old != new:
            self._refuse_taken(old, new)
        return new

    def _refuse_taken(self, old: str, new: str) -> None:
        if self._roots.split(old)[0] != self._roots.split(new)[0]:
            raise BadArgument("A note cannot be moved from one of the vault's folders to another.")
        key = paths.collision_key(new)
        if key == paths.collision_key(old):
            return
        near = [each.path for each in self._index.links.named(links.name_key(paths.stem(new)))]
        taken = next((path for path in near if paths.collision_key(path) == key), None)
        if taken is not None or self._roots.find(new) is not None:
            raise Conflict(f"{taken or new} exists already. Choose another name.")

    # -- after

    async def _see(self, renamed: Renamed, look_at: LookAt) -> None:
        """Let the index see a few of the notes whose links followed at once, the rest soon."""
        notes = renamed.touched
        first, *rest = [notes[n : n + TOUCHED_MAX] for n in range(0, len(notes), TOUCHED_MAX)]
        await look_at(first, {renamed.path: notes[0]})
        if rest:
            self._durable.after.start(self._see_rest(rest))

    async def _see_rest(self, rest: Sequence[Sequence[str]]) -> None:
        for some in rest:
            await self._indexer.update(some)

    async def _followed(self, renamed: Renamed, actor: str) -> Renamed:
        """Put on record what became of suggestions whose links or title were changed."""
        for path, ended in renamed.ended.items():
            await self._authorship.follow(path, ended, actor.partition(":")[2] or actor)
        return renamed

    async def _perform(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        """Rename a note as an assistant was permitted to."""
        title = change.get("title")
        renamed = await self.rename(
            str(change["path"]),
            str(change["to"]),
            f"assistant:{by.name}",
            title=title if isinstance(title, str) else None,
        )
        return {"path": renamed.path, "links": renamed.links, "left": renamed.left}

    def _remember(self, intent: RenamePlan, done: list[Rewritten]) -> str:
        token = uuid.uuid4().hex
        self._undo[token] = (intent, done)
        self._recent[intent.old] = intent.new
        self._recent.pop(intent.new, None)
        for kept in (self._undo, self._recent):
            while len(kept) > _UNDO_MAX:
                kept.popitem(last=False)
        return token


def _renamed(intent: RenamePlan, outcome: Outcome, left: list[str], token: str) -> Renamed:
    links_in = {each.path: len(each.back) for each in outcome.done}
    if intent.title:
        links_in[intent.new] = len(intent.links.get(intent.new, {}))
    failed = [f"{path}: {why}" for path, why in sorted(outcome.failed.items())]
    touched = [intent.old, intent.new, *(each.path for each in outcome.done)]
    left = [*left, *outcome.left, *failed]
    ended = {each.path: each.ended for each in outcome.done if each.ended}
    return Renamed(intent.new, sum(links_in.values()), left, token, touched, ended)
