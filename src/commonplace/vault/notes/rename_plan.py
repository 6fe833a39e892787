"""What a rename will do, worked out from the index before anything is touched.

Three kinds of links are affected: those that mean the note, those that stand in it, and those by
its new name that mean another note and would be caught by it. Each is spelled anew where it would
come to mean something else; one that could have meant another note before is left and reported.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Protocol

from commonplace.core import critic, digest, frontmatter, links, markdown, paths
from commonplace.core.critic import revise
from commonplace.core.links import Candidate, respell
from commonplace.core.links.respell import LinkPlace, Meant, Spelling
from commonplace.core.text import edits
from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, Conflict
from commonplace.vault.documents.changes import Plan
from commonplace.vault.index.queries.links import LinkTo
from commonplace.vault.notes.rewrite import Rewritten

Spellings = dict[Spelling, str]
FindNotes = Callable[[str], Sequence[Candidate]]


@dataclass(slots=True)
class RenamePlan:
    """What a rename does: the file's move, the title to set, and the links of each note.

    `actor` and `set` are who renames, and for which change set, once it is begun.
    """

    old: str
    new: str
    title: str | None = None
    links: dict[str, Spellings] = field(default_factory=dict[str, Spellings])
    actor: str = "server"
    set: str = ""

    def packed(self) -> str:
        """Write it for the record."""
        rows = {
            path: [[*key, new] for key, new in each.items()] for path, each in self.links.items()
        }
        row = [self.old, self.new, self.title, rows, self.actor, self.set]
        return json.dumps(row, ensure_ascii=False)

    def path(self, path: str) -> str:
        """Return the path that a note will have."""
        return self.new if path == self.old else path

    def moves(self, old: str, new: str) -> bool:
        """Tell whether it is the rename from one path to another."""
        return (self.old, self.new) == (old, new)

    def only(self, paths: Collection[str]) -> "RenamePlan | None":
        """Return what it does to some notes after the move; None if that is nothing."""
        links = {path: each for path, each in self.links.items() if path in paths}
        title = self.title if self.new in paths else None
        return replace(self, title=title, links=links) if links or title else None

    @classmethod
    def unpacked(cls, text: str) -> "RenamePlan":
        """Read it from the record."""
        old, new, title, rows, *whose = json.loads(text)  # an older program says no actor
        spelled = {
            path: {(bool(is_markdown), raw): wanted for is_markdown, raw, wanted in each}
            for path, each in rows.items()
        }
        return cls(old, new, title, spelled, *whose)


@dataclass(frozen=True, slots=True)
class RenameUndo:
    """What a rename is to heed that takes another one back.

    Notes that `followed`, and have not changed since, become exactly what they were. Others among
    `written` are left alone: whoever takes the rename back takes back what was written there, too.
    """

    followed: tuple[Rewritten, ...] = ()
    written: frozenset[str] = frozenset()

    def limit(self, intent: RenamePlan) -> dict[str, Rewritten]:
        """Take what is left alone out of a plan; return what followed, by path after it."""
        before = {intent.path(each.path): each for each in self.followed}
        alone = self.written - before.keys()
        intent.links = {path: each for path, each in intent.links.items() if path not in alone}
        return before


class LinkRows(Protocol):
    """The links of all notes, by the number of a note or by a name."""

    def leading_to(self, note: int) -> list[LinkTo]: ...  # noqa: D102
    def standing_in(self, note: int) -> list[LinkTo]: ...  # noqa: D102
    def by_name(self, key: str) -> list[LinkTo]: ...  # noqa: D102
    def named(self, key: str) -> list[Candidate]: ...  # noqa: D102


class Planner:
    """Plans renames from the links of an index: the vault's, or another that has the same rows."""

    def __init__(
        self,
        links: LinkRows,
        number: Callable[[str], int | None],
        is_file: Callable[[str], bool],
        *,
        several_roots: bool,
    ) -> None:
        """Take the links, a note's number by its path, and whether another file exists."""
        self._links = links
        self._number = number
        self._is_file = is_file
        self._several_roots = several_roots

    def plan(
        self, old: str, new: str, text: str, title: str | None
    ) -> tuple[RenamePlan, list[str]]:
        """Say what is to be done, and which links are left."""
        intent = RenamePlan(old, new, title)
        left: list[str] = []
        note = self._number(old)
        if note is None:
            return intent, left
        named = self._named_after(old, new, text, title)
        for link in self._affected(note, new):
            self._respell(intent, link, named, left)
        for link in self._links.standing_in(note):
            if link.target is None and paths.parent(old) != paths.parent(new):
                self._carry_attachment(intent, link)
        return intent, left

    def _affected(self, note: int, new: str) -> Iterable[LinkTo]:
        """List the links that mean the note, that stand in it, or that the new name may catch."""
        found = [
            *self._links.leading_to(note),
            *(link for link in self._links.standing_in(note) if link.target),
            *(link for link in self._links.by_name(links.name_key(paths.stem(new))) if link.target),
        ]
        return dict.fromkeys(found)

    def _respell(self, intent: RenamePlan, link: LinkTo, named: FindNotes, left: list[str]) -> None:
        assert link.target is not None
        if link.ambiguous:
            if link.target == intent.old:
                left.append(_shown(link))
            return
        root = link.source.partition("/")[0] if self._several_roots else ""
        standing = LinkPlace(link.source, intent.path(link.source), root)
        meant = Meant(link.target, intent.path(link.target))
        spelling = (link.kind == "markdown", link.raw)
        titles = [intent.title] if intent.title and link.target == intent.old else []
        wanted = respell.respelled(spelling, standing, meant, named, titles)
        if wanted is None:
            left.append(_shown(link))
        elif wanted != link.raw:
            intent.links.setdefault(standing.new, {})[spelling] = wanted

    def _carry_attachment(self, intent: RenamePlan, link: LinkTo) -> None:
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
        if self._is_file(there):
            wanted = respell.relative(paths.parent(intent.new), there)
            intent.links.setdefault(intent.new, {})[True, link.raw] = wanted

    def _named_after(self, old: str, new: str, text: str, title: str | None) -> FindNotes:
        """Tell who will carry a name once the note has moved."""
        after = digest.digest(new, edits.apply(text, titled(text, title, paths.stem(new))))

        @cache
        def named(key: str) -> Sequence[Candidate]:
            others = [each for each in self._links.named(key) if each.path != old]
            own = [Candidate(new, kind, name) for own, kind, name in after.names if own == key]
            return [*others, *own]

        return named


def _shown(link: LinkTo) -> str:
    written = f"[…]({link.raw})" if link.kind == "markdown" else f"[[{link.raw}]]"
    return f"{link.source}: {written}"


def titled(text: str, title: str | None, stem: str, changes: Sequence[Edit] = ()) -> Sequence[Edit]:
    """Give a marked text a title where it has its own: in its properties, else its first heading.

    A title that touches a suggestion is suggested; one that would take it back is refused.
    """
    after = edits.apply(text, changes)
    view = critic.accepted(after)
    made = revise.revised(after, edits.apply(view, _titled(view, title, stem)))
    if None in made.ended.values():
        raise critic.Undecidable(
            "The title is part of a suggestion that waits for a person's decision, and would take"
            " it back. Ask a person to reject it."
        )
    return edits.diff(text, made.text) if made.edits else changes


def _titled(after: str, title: str | None, stem: str) -> Sequence[Edit]:
    scanned, properties = markdown.scan(after), frontmatter.read(after).properties
    if title is None or markdown.title(scanned, properties, stem) == title:
        return []
    heading = next((each for each in scanned.headings if each.level == 1), None)
    if heading is not None and "title" not in properties:
        source = after.encode()
        line = source[heading.start : heading.end].decode()
        at = len(source[: heading.start].decode()) + line.find(heading.text)
        if heading.text and heading.text in line:
            return [Edit(at, at + len(heading.text), title)]
    return edits.diff(after, frontmatter.change(after, "title", title))


def plans(
    intent: RenamePlan, back: Mapping[str, Rewritten], split: dict[str, list[str]]
) -> dict[str, Plan]:
    """Plan the edits of every note that the intent names; `split` gets the links that are left."""
    touched = {*intent.links, *back, *([intent.new] if intent.title else [])}
    return {path: partial(_changes, path, intent, back.get(path), split) for path in touched}


def _changes(
    path: str,
    intent: RenamePlan,
    back: Rewritten | None,
    split: dict[str, list[str]],
    text: str,
) -> Sequence[Edit]:
    """Plan the edits of one note: its links, and the renamed note's title."""
    if back is not None and (undoing := back.undoing(text)) is not None:
        return undoing
    changes, left = respell.rewrites(text, intent.links.get(path, {}))
    split[path] = [f"{link} (a suggestion that waits runs through it)" for link in left]
    if path == intent.new and intent.title:
        try:
            return titled(text, intent.title, paths.stem(path), changes)
        except (BadArgument, Conflict) as error:
            split[path].append(f"title: {error}")
    return changes


def turned(intent: RenamePlan) -> dict[str, Spellings]:
    """Return the spellings that take those of a rename back, by note."""
    return {
        intent.old if path == intent.new else path: {
            (is_markdown, wanted): raw for (is_markdown, raw), wanted in spelled.items()
        }
        for path, spelled in intent.links.items()
    }


def rename_summary(path: str, to: str, linking: int) -> str:
    """Say to a person what a rename would do."""
    count = "1 note that links" if linking == 1 else f"{linking} notes that link"
    return f"rename {path} to {to} (in the {count} to it the links follow)"
