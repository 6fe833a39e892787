"""Renames that keep every link: the file moves, and all links to it follow, in one step.

What is to be done is on record before anything happens, and each part of it can be done twice
without harm. A rename that a crash cut short is therefore finished on the next start once the file
has moved, and forgotten if it has not. Links that could have meant another note as well are left
as they are and reported. A link by the new name that means another note is made to go on meaning
it.
"""

import json
import uuid
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import anyio
import anyio.to_thread

from commonplace.core import digest, edits, frontmatter, links, markdown, paths, relinking
from commonplace.core.edits import Edit
from commonplace.core.links import Candidate
from commonplace.core.relinking import Meant, Spelling, Standing
from commonplace.errors import BadArgument, CommonplaceError, Conflict, NotFound
from commonplace.vault.index import Index, LinkTo
from commonplace.vault.log import Log
from commonplace.vault.roots import Roots
from commonplace.vault.shelf import Shelf

UNDO_MAX = 50
_AT_ONCE_MAX = 100
_KIND = "rename"

Spellings = dict[Spelling, str]


@dataclass(frozen=True, slots=True)
class Renamed:
    """A rename that was made: how many links followed, which were left, and how to undo it."""

    path: str
    links: int
    left: list[str]
    undo: str


@dataclass(slots=True)
class _Intent:
    """What a rename does: the file's move, the title to set, and the links of each note."""

    old: str
    new: str
    title: str | None = None
    links: dict[str, Spellings] = field(default_factory=dict[str, Spellings])

    def packed(self) -> str:
        rows = {path: [[*key, new] for key, new in each.items()] for path, each in self.links.items()}
        return json.dumps([self.old, self.new, self.title, rows], ensure_ascii=False)

    @classmethod
    def unpacked(cls, text: str) -> "_Intent":
        old, new, title, rows = json.loads(text)
        spelled = {
            path: {(bool(is_markdown), raw): wanted for is_markdown, raw, wanted in each}
            for path, each in rows.items()
        }
        return cls(old, new, title, spelled)


@dataclass(frozen=True, slots=True)
class _Done:
    """One note before and after."""

    path: str
    before: str
    after: str
    count: int


class Renaming:
    """Renames notes, one at a time."""

    def __init__(
        self, roots: Roots, log: Log, shelf: Shelf, index: Index, *, several_roots: bool
    ) -> None:
        self._roots = roots
        self._log = log
        self._shelf = shelf
        self._index = index
        self._several_roots = several_roots
        self._alone = anyio.Lock()
        self._undo: OrderedDict[str, tuple[_Intent, list[_Done]]] = OrderedDict()
        self._recent: OrderedDict[str, str] = OrderedDict()

    async def rename(
        self, old: str, new: str, actor: str, *, text: str, title: str | None = None
    ) -> Renamed:
        """Give a note, whose text this is, another path, and another title if one is given."""
        new = paths.new_note_path(new)
        if any(character in paths.stem(new) for character in relinking.UNLINKABLE):
            raise BadArgument(f"A note's name cannot hold any of {relinking.UNLINKABLE} in it.")
        async with self._alone:
            self._refuse(old, new)
            intent, left = self._plan(old, new, text, title)
            with anyio.CancelScope(shield=True):
                done, failed = await self._carry_out(intent, actor)
        token = self._remember(intent, done)
        return Renamed(new, sum(each.count for each in done), [*left, *failed], token)

    async def undo(self, token: str, actor: str) -> str:
        """Take a rename back, links and all; returns the note's path."""
        if token not in self._undo:
            raise NotFound("There is no such rename to undo, or it was undone already.")
        async with self._alone:
            intent, done = self._undo.pop(token)
            self._refuse(intent.new, intent.old)
            back = _Intent(intent.new, intent.old, links=_turned(intent))
            before = {_path(each.path, intent): each for each in done}
            with anyio.CancelScope(shield=True):
                await self._carry_out(back, actor, before)
        self._recent.pop(intent.old, None)
        return intent.old

    async def recover(self) -> None:
        """Finish the renames that a crash cut short, or forget those that had not begun."""
        for key, text in (await self._log.records(_KIND)).items():
            intent = _Intent.unpacked(text)
            if self._moved(intent):
                await self._shelf.follow_file(intent.old, intent.new)
                await self._relink(intent, "server")
            await self._log.put_record(_KIND, key, None)

    def lately(self, old: str) -> str | None:
        """Tell where a note went that had this path a while ago."""
        return self._recent.get(old)

    # -- before

    def _refuse(self, old: str, new: str) -> None:
        if old == new:
            raise BadArgument(f"{old} has that name already.")
        if self._roots.split(old)[0] != self._roots.split(new)[0]:
            raise BadArgument("A note cannot be moved from one of the vault's folders to another.")
        key = paths.collision_key(new)
        if key == paths.collision_key(old):
            return
        near = [each.path for each in self._index.named(links.name_key(paths.stem(new)))]
        taken = next((path for path in near if paths.collision_key(path) == key), None)
        if taken is not None or self._roots.find(new) is not None:
            raise Conflict(f"{taken or new} exists already. Choose another name.")

    def _plan(
        self, old: str, new: str, text: str, title: str | None
    ) -> tuple[_Intent, list[str]]:
        intent = _Intent(old, new, title)
        left: list[str] = []
        about = self._index.about(old)
        if about is None:
            return intent, left
        named = self._named_after(old, new, text, title)
        for link in self._affected(about.note, new):
            self._respell(intent, link, named, left)
        for link in self._index.links_from(about.note):
            if link.target is None and paths.parent(old) != paths.parent(new):
                self._carry_attachment(intent, link)
        return intent, left

    def _affected(self, note: int, new: str) -> Iterable[LinkTo]:
        """List the links that mean the note, that stand in it, or that the new name may catch."""
        found = [
            *self._index.links_to(note),
            *(link for link in self._index.links_from(note) if link.target),
            *(link for link in self._index.links_named(links.name_key(paths.stem(new))) if link.target),
        ]
        return dict.fromkeys(found)

    def _respell(
        self, intent: _Intent, link: LinkTo, named: "_Named", left: list[str]
    ) -> None:
        assert link.target is not None
        if link.ambiguous:
            if link.target == intent.old:
                left.append(_shown(link))
            return
        root = link.source.partition("/")[0] if self._several_roots else ""
        standing = Standing(link.source, _path(link.source, intent), root)
        meant = Meant(link.target, _path(link.target, intent))
        spelling = (link.kind == "markdown", link.raw)
        titles = [intent.title] if intent.title and link.target == intent.old else []
        wanted = relinking.respelled(spelling, standing, meant, named, titles)
        if wanted is None:
            left.append(_shown(link))
        elif wanted != link.raw:
            intent.links.setdefault(standing.new, {})[spelling] = wanted

    def _carry_attachment(self, intent: _Intent, link: LinkTo) -> None:
        """Keep a relative link to a picture or another file right when the note changes folders."""
        if link.kind != "markdown" or link.raw.startswith("/"):
            return
        parts: list[str] = []
        for part in [*paths.parent(intent.old).split("/"), *link.raw.split("/")]:
            if part == ".." and not parts:
                return
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        there = "/".join(parts)
        if self._roots.stamp(there) is not None:
            wanted = relinking.relative(paths.parent(intent.new), there)
            intent.links.setdefault(intent.new, {})[True, link.raw] = wanted

    def _named_after(self, old: str, new: str, text: str, title: str | None) -> "_Named":
        """Tell who will carry a name once the note has moved."""
        after = digest.digest(new, edits.apply(text, _titled(text, title, paths.stem(new))))

        @cache
        def named(key: str) -> Sequence[Candidate]:
            others = [each for each in self._index.named(key) if each.path != old]
            own = [Candidate(new, kind, name) for own, kind, name in after.names if own == key]
            return [*others, *own]

        return named

    # -- doing it

    async def _carry_out(
        self, intent: _Intent, actor: str, before: Mapping[str, _Done] | None = None
    ) -> tuple[list[_Done], list[str]]:
        key = uuid.uuid4().hex
        await self._log.put_record(_KIND, key, intent.packed())
        try:
            await self._shelf.move(intent.old, intent.new)
        except (CommonplaceError, OSError):
            await self._log.put_record(_KIND, key, None)
            raise
        result = await self._relink(intent, actor, before)
        await self._log.put_record(_KIND, key, None)
        return result

    async def _relink(
        self, intent: _Intent, actor: str, before: Mapping[str, _Done] | None = None
    ) -> tuple[list[_Done], list[str]]:
        """Edit every note that the intent names, many at once."""
        done: list[_Done] = []
        failed: list[str] = []
        room = anyio.Semaphore(_AT_ONCE_MAX)

        async def one(path: str) -> None:
            async with room:
                try:
                    done.append(await self._edit(path, intent, actor, before))
                except CommonplaceError as error:
                    failed.append(f"{path}: {error}")

        async with anyio.create_task_group() as tasks:
            for path in intent.links.keys() | ({intent.new} if intent.title or before else set()):
                tasks.start_soon(one, path)
        return sorted(done, key=lambda each: each.path), sorted(failed)

    async def _edit(
        self, path: str, intent: _Intent, actor: str, before: Mapping[str, _Done] | None
    ) -> _Done:
        seen: list[tuple[str, int]] = []

        def plan(text: str) -> Sequence[Edit]:
            changes = relinking.rewrites(text, intent.links.get(path, {}))
            if before and path in before and text == before[path].after:
                changes = edits.diff(text, before[path].before)
            seen.append((text, len(changes)))
            if path == intent.new and intent.title:
                return [*_titled(text, intent.title, paths.stem(path), changes)]
            return changes

        edited = await self._shelf.edit(path, plan, actor)
        text, count = seen[-1]
        return _Done(path, text, edited.text, count)

    # -- after

    def _moved(self, intent: _Intent) -> bool:
        if self._roots.find(intent.new) is None:
            return False
        respelled = paths.collision_key(intent.old) == paths.collision_key(intent.new)
        return respelled or self._roots.find(intent.old) is None

    def _remember(self, intent: _Intent, done: list[_Done]) -> str:
        token = uuid.uuid4().hex
        self._undo[token] = (intent, done)
        self._recent[intent.old] = intent.new
        self._recent.pop(intent.new, None)
        for kept in (self._undo, self._recent):
            while len(kept) > UNDO_MAX:
                kept.popitem(last=False)
        return token


_Named = relinking.Callable[[str], Sequence[Candidate]]


def _path(path: str, intent: _Intent) -> str:
    return intent.new if path == intent.old else path


def _turned(intent: _Intent) -> dict[str, Spellings]:
    return {
        intent.old if path == intent.new else path: {
            (is_markdown, wanted): raw for (is_markdown, raw), wanted in spelled.items()
        }
        for path, spelled in intent.links.items()
    }


def _shown(link: LinkTo) -> str:
    written = f"[…]({link.raw})" if link.kind == "markdown" else f"[[{link.raw}]]"
    return f"{link.source}: {written}"


def _titled(
    text: str, title: str | None, stem: str, changes: Sequence[Edit] = ()
) -> Sequence[Edit]:
    """Give a text a title where it has its own: in its properties, else its first heading."""
    after = edits.apply(text, changes)
    scanned, properties = markdown.scan(after), frontmatter.read(after).properties
    if title is None or markdown.title(scanned, properties, stem) == title:
        return changes
    heading = next((each for each in scanned.headings if each.level == 1), None)
    if heading is not None and "title" not in properties:
        source = after.encode()
        line = source[heading.start : heading.end].decode()
        at = len(source[: heading.start].decode()) + line.find(heading.text)
        if heading.text and heading.text in line:
            after = after[:at] + title + after[at + len(heading.text) :]
            return edits.diff(text, after)
    return edits.diff(text, frontmatter.change(after, "title", title))
