"""Renames that keep every link: the file moves, and all links to it follow, in one step.

What is to be done is on record before anything happens, and each part of it can be done twice
without harm. A rename that a crash cut short is therefore finished on the next start once the file
has moved, and forgotten if it has not. Links that could have meant another note as well are left
as they are and reported. A link by the new name that means another note is made to go on meaning
it.
"""

import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import anyio
import anyio.to_thread

from commonplace.core import links, paths, relinking
from commonplace.core.edits import Edit
from commonplace.errors import BadArgument, CommonplaceError, Conflict, NotFound, Unavailable
from commonplace.vault.changes import Plan
from commonplace.vault.disk import reason
from commonplace.vault.index import Index
from commonplace.vault.log import Log
from commonplace.vault.rename_plan import Intent, Planner, Spellings, titled
from commonplace.vault.rewriting import Outcome, Rewriter, Rewritten
from commonplace.vault.roots import Roots
from commonplace.vault.shelf import Shelf

UNDO_MAX = 50
_KIND = "rename"


@dataclass(frozen=True, slots=True)
class Renamed:
    """A rename that was made: how many links followed, which were left, and how to undo it."""

    path: str
    links: int
    left: list[str]
    undo: str
    touched: list[str]


class Renaming:
    """Renames notes, one at a time."""

    def __init__(
        self, roots: Roots, log: Log, shelf: Shelf, index: Index, *, several_roots: bool
    ) -> None:
        self._roots = roots
        self._log = log
        self._shelf = shelf
        self._index = index
        self._planner = Planner(index, roots, several_roots=several_roots)
        self._rewriter = Rewriter(roots, shelf)
        self._alone = anyio.Lock()
        self._undo: OrderedDict[str, tuple[Intent, list[Rewritten]]] = OrderedDict()
        self._recent: OrderedDict[str, str] = OrderedDict()

    async def rename(
        self, old: str, new: str, actor: str, *, text: str, title: str | None = None
    ) -> Renamed:
        """Give a note, whose text this is, another path, and another title if one is given."""
        async with self._alone:
            new = self.check(old, new)
            intent, left = self._planner.plan(old, new, text, title)
            outcome = await self._carry_out(intent, actor)
        token = self._remember(intent, outcome.done)
        return _renamed(intent, outcome, left, token)

    async def retitle(self, path: str, title: str, actor: str) -> Renamed:
        """Give a note another title alone; its file has the right name already."""
        await self._shelf.edit(path, partial(titled, title=title, stem=paths.stem(path)), actor)
        return Renamed(path, 0, [], "", [path])

    async def undo(self, token: str, actor: str) -> Renamed:
        """Take a rename back, links and all."""
        if token not in self._undo:
            raise NotFound("There is no such rename to undo, or it was undone already.")
        async with self._alone:
            intent, done = self._undo[token]
            self.check(intent.new, intent.old)
            del self._undo[token]
            back = Intent(intent.new, intent.old, links=_turned(intent))
            before = {back.path(each.path): each for each in done}
            outcome = await self._carry_out(back, actor, before)
        self._recent.pop(intent.old, None)
        return _renamed(back, outcome, [], "")

    async def recover(self) -> None:
        """Finish the renames that a crash cut short, or forget those that had not begun."""
        for key, text in (await self._log.records(_KIND)).items():
            intent = Intent.unpacked(text)
            if self._moved(intent):
                await self._shelf.follow_file(intent.old, intent.new)
                plans = _plans(intent, {}, {})
                await anyio.to_thread.run_sync(self._rewriter.sweep, plans, key)
                behind = [await self._shelf.path_of(id) for id in await self._log.unflushed()]
                await self._rewriter.rewrite(plans, "server", key, set(filter(None, behind)))
            await self._log.put_record(_KIND, key, None)

    def lately(self, old: str) -> str | None:
        """Tell where a note went that had this path a while ago."""
        return self._recent.get(old)

    # -- before

    def check(self, old: str, new: str) -> str:
        """Refuse a path that the note cannot have; returns it in canonical form."""
        new = paths.new_note_path(new)
        if any(character in paths.stem(new) for character in relinking.UNLINKABLE):
            raise BadArgument(f"A note's name cannot hold any of {relinking.UNLINKABLE} in it.")
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

    # -- doing it

    async def _carry_out(
        self, intent: Intent, actor: str, back: Mapping[str, Rewritten] | None = None
    ) -> Outcome:
        """Do it from the record to the end, whether or not the caller still waits."""
        key = uuid.uuid4().hex
        outcome = Outcome()
        with anyio.CancelScope(shield=True):
            await self._log.put_record(_KIND, key, intent.packed())
            try:
                await self._shelf.move(intent.old, intent.new)
            except (CommonplaceError, OSError) as error:
                await self._log.put_record(_KIND, key, None)
                if isinstance(error, OSError):
                    why = f"{intent.old} cannot be renamed: {reason(error)}."
                    raise Unavailable(why) from error
                raise
            split: dict[str, list[str]] = {}
            plans = _plans(intent, back or {}, split)
            outcome = await self._rewriter.rewrite(plans, actor, key)
            outcome.left = [f"{path}: {link}" for path in sorted(split) for link in split[path]]
            await self._log.put_record(_KIND, key, None)
        return outcome

    # -- after

    def _moved(self, intent: Intent) -> bool:
        if self._roots.find(intent.new) is None:
            return False
        respelled = paths.collision_key(intent.old) == paths.collision_key(intent.new)
        return respelled or self._roots.find(intent.old) is None

    def _remember(self, intent: Intent, done: list[Rewritten]) -> str:
        token = uuid.uuid4().hex
        self._undo[token] = (intent, done)
        self._recent[intent.old] = intent.new
        self._recent.pop(intent.new, None)
        for kept in (self._undo, self._recent):
            while len(kept) > UNDO_MAX:
                kept.popitem(last=False)
        return token


def _plans(
    intent: Intent, back: Mapping[str, Rewritten], split: dict[str, list[str]]
) -> dict[str, Plan]:
    """Plan the edits of every note that the intent names; `split` gets the links that are left."""
    touched = {*intent.links, *back, *([intent.new] if intent.title else [])}
    return {path: partial(_changes, path, intent, back.get(path), split) for path in touched}


def _changes(
    path: str,
    intent: Intent,
    back: Rewritten | None,
    split: dict[str, list[str]],
    text: str,
) -> Sequence[Edit]:
    """Plan the edits of one note: its links, and the renamed note's title."""
    if back is not None and (undoing := back.undoing(text)) is not None:
        return undoing
    changes, left = relinking.rewrites(text, intent.links.get(path, {}))
    split[path] = [f"{link} (a suggestion that waits runs through it)" for link in left]
    if path == intent.new and intent.title:
        return titled(text, intent.title, paths.stem(path), changes)
    return changes


def _renamed(intent: Intent, outcome: Outcome, left: list[str], token: str) -> Renamed:
    links_in = {each.path: len(each.back) for each in outcome.done}
    if intent.title:
        links_in[intent.new] = len(intent.links.get(intent.new, {}))
    failed = [f"{path}: {why}" for path, why in sorted(outcome.failed.items())]
    touched = [intent.old, intent.new, *(each.path for each in outcome.done)]
    left = [*left, *outcome.left, *failed]
    return Renamed(intent.new, sum(links_in.values()), left, token, touched)


def _turned(intent: Intent) -> dict[str, Spellings]:
    return {
        intent.old if path == intent.new else path: {
            (is_markdown, wanted): raw for (is_markdown, raw), wanted in spelled.items()
        }
        for path, spelled in intent.links.items()
    }
