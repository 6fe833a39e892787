"""Pending suggestions as a person decides them, and people's comments as an assistant meets them.

A deletion and an insertion that touch are one suggestion, a replacement, if both or neither carry
metadata and it names the same author and time. Marks of one kind that touch are one suggestion if
they meet at a *seam*: a place where a delimiter, or what would become one, was cut in two because
one mark could not hold it (see `marks`).

An id is a hash of the suggestion's characters and of how many equal ones stand before it: it stays
while other text changes, and changes with its own text. Twins, which are equal to the letter, also
carry how many they are (`…-2`): once one of them is decided, the ids of all are others, and nobody
who meant that one decides the next in its stead.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from itertools import islice
from typing import NamedTuple

from commonplace.core.critic.marks import Kind, Mark, Marked, is_seam
from commonplace.core.critic.parse import parse
from commonplace.core.critic.views import Role, Run, runs, text_between

_ID_BYTES = 8
REMARKS_MAX = 200


class Effect(StrEnum):
    """What accepting a suggestion does."""

    INSERT = "insert"
    DELETE = "delete"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark, without its delimiters and metadata."""

    start: int
    end: int
    text: str
    author: str | None
    time: float | None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One pending change.

    `start` and `end` are places in the marked text; `line` counts from 1 in the accepted view;
    `author` names everybody who wrote part of it; `time` is seconds since 1970; `comments` stand
    inside it or right behind it.
    """

    id: str
    kind: Effect
    start: int
    end: int
    line: int
    old: str
    new: str
    author: str | None
    time: float | None
    comments: tuple[Comment, ...]
    marks: tuple[Mark, ...]


class Group(NamedTuple):
    """Marks that are decided together, and where they stand in the marked text."""

    start: int
    end: int
    marks: list[Mark]


def suggestions(text: str) -> list[Suggestion]:
    """List what is pending in a text, in order."""
    return listed(parse(text)) if "{" in text else []


def listed(marked: Marked) -> list[Suggestion]:
    """List what is pending in a text that was read already."""
    found = groups(marked)
    return list(_RunWalk(marked).rows(zip(_ids(marked), found, strict=True))) if found else []


def some(text: str, ids: Collection[str]) -> list[Suggestion]:
    """List those of the suggestions in a text that have certain ids; most others cost nothing."""
    if not ids or "{" not in text:
        return []
    marked = parse(text)
    found: list[Suggestion] = []
    line, at = 1, 0
    for id, group in zip(_ids(marked), groups(marked), strict=True):
        if id in ids:
            line += text_between(marked, at, group.start, Role.NEW).count("\n")
            listing = _RunWalk(marked, group.start, group.end, line)
            found += listing.rows([(id, group)])
            line, at = listing.line, group.end
    return found


def _ids(marked: Marked) -> list[str]:
    return identified([marked.text[group.start : group.end] for group in groups(marked)])


def groups(marked: Marked) -> list[Group]:
    """Put marks together that are decided together. The list is shared, and not to be changed."""
    return marked.keep(Group, lambda: _groups(marked))


def _groups(marked: Marked) -> list[Group]:
    found: list[list[Mark]] = []
    end = 0
    for index, mark in enumerate(marked.suggested):
        if index and end == mark.start and _belongs(marked, index):
            found[-1].append(mark)
        else:
            found.append([mark])
        end = mark.end
    return [Group(row[0].start, row[-1].end, row) for row in found]


def identified(raws: list[str]) -> list[str]:
    """Return the ids of suggestions, given their characters in order."""
    return list(named(raws, set(raws)).values())


def named(raws: list[str], wanted: Collection[str]) -> dict[int, str]:
    """Return the ids of those suggestions that have certain characters, by where they stand."""
    if not wanted:
        return {}
    equal = Counter(raws)
    seen: Counter[str] = Counter()
    ids: dict[int, str] = {}
    for at, characters in enumerate(raws):
        if characters not in wanted:
            continue
        seen[characters] += 1
        source = f"{seen[characters]}\0{characters}".encode("utf-8", "surrogatepass")
        name = blake2b(source, digest_size=_ID_BYTES).hexdigest()
        twins = equal[characters]
        ids[at] = f"{name}-{twins}" if twins > 1 else name
    return ids


def rank(id: str) -> str:
    """Return the part of an id that tells a suggestion from its twins, however many they are."""
    return id.partition("-")[0]


def _belongs(marked: Marked, index: int) -> bool:
    """Tell whether a mark is decided together with the one that it touches."""
    before, mark = marked.suggested[index - 1], marked.suggested[index]
    if before.meta != mark.meta:
        return False
    if before.kind is not mark.kind:
        return before.kind is Kind.DELETED and mark.kind is Kind.INSERTED
    left = marked.text[max(before.body, before.tail - 1) : before.tail]
    return is_seam(mark.kind, left, marked.text[mark.body : mark.tail], _ahead(marked, index))


def _ahead(marked: Marked, index: int) -> str:
    """Return the next two characters of a text that may be cut into several marks."""
    last = marked.suggested[index]
    ahead = marked.text[last.body : last.tail][:2]
    for mark in marked.suggested[index + 1 : index + 2]:
        if len(ahead) < 2 and mark.start == last.end and mark.kind is last.kind:
            ahead += marked.text[mark.body : mark.tail][: 2 - len(ahead)]
    return ahead


class _RunWalk:
    """One walk over the runs of a stretch: thousands of suggestions are listed in linear time."""

    def __init__(
        self, marked: Marked, start: int = 0, end: int | None = None, line: int = 1
    ) -> None:
        self.text = marked.text
        self.runs = runs(marked, start, end)
        self.at = 0
        self.line = line
        self.comments = marked.keep(Comment, lambda: {mark.start: mark for mark in marked.comments})

    def rows(self, found: Iterable[tuple[str, Group]]) -> Iterator[Suggestion]:
        for name, group in found:
            self._pass(group.start)
            line = self.line
            inside = list(self._pass(group.end))
            old = self._join(inside, Role.OLD)
            new = self._join(inside, Role.NEW)
            meta = group.marks[0].meta
            authors = ", ".join(meta.authors) if meta else ""
            yield Suggestion(
                id=name,
                kind=_change(group, old, new),
                start=group.start,
                end=group.end,
                line=line,
                old=old,
                new=new,
                author=authors or (meta.author if meta else None),
                time=meta.time if meta else None,
                comments=tuple(self._comments(inside, group.end)),
                marks=tuple(group.marks),
            )

    def _pass(self, end: int) -> list[Run]:
        """Return the runs up to a place, counting the accepted view's lines."""
        passed: list[Run] = []
        while self.at < len(self.runs) and self.runs[self.at].start < end:
            run = self.runs[self.at]
            passed.append(run)
            if run.role is Role.PLAIN or run.role is Role.NEW:
                self.line += self.text.count("\n", run.start, run.end)
            self.at += 1
        return passed

    def _join(self, inside: list[Run], role: Role) -> str:
        return "".join(self.text[run.start : run.end] for run in inside if run.role is role)

    def _comments(self, inside: list[Run], end: int) -> Iterator[Comment]:
        for run in inside:
            if run.role is Role.COMMENT:
                yield self._comment(run.start)
        while end in self.comments:
            yield self._comment(end)
            end = self.comments[end].end

    def _comment(self, start: int) -> Comment:
        mark = self.comments[start]
        author, time = (mark.meta.author, mark.meta.time) if mark.meta else (None, None)
        return Comment(start, mark.end, self.text[mark.body : mark.tail], author, time)


def _change(group: Group, old: str, new: str) -> Effect:
    kinds = {mark.kind for mark in group.marks}
    if kinds == {Kind.INSERTED} or (new and not old):
        return Effect.INSERT
    if kinds == {Kind.DELETED} or (old and not new):
        return Effect.DELETE
    return Effect.REPLACE


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment; `line` counts from 1 in the accepted view, `about` is highlighted, or that line.

    `time` is seconds since 1970.
    """

    line: int
    text: str
    about: str
    author: str | None
    time: float | None


def remarks(text: str) -> list[Remark]:
    """Return the comments of a marked text, in order, the first two hundred."""
    marked = parse(text)
    if not marked.comments:
        return []
    accepted = text_between(marked, 0, len(text), Role.NEW)
    lit = {mark.end: text[mark.body : mark.tail] for mark in marked.highlights}
    found: list[Remark] = []
    for mark, number, length in islice(_placed(marked), REMARKS_MAX):
        start = accepted.rfind("\n", 0, length) + 1
        end = accepted.find("\n", length)
        line = accepted[start : end if end >= 0 else len(accepted)].strip()
        author, time = (mark.meta.author, mark.meta.time) if mark.meta else (None, None)
        said = text[mark.body : mark.tail].strip()
        found.append(Remark(number, said, lit.get(mark.start, line), author, time))
    return found


def remark_lines(text: str) -> list[tuple[int, str]]:
    """Return what every comment of a marked text says, each with its line in the accepted view."""
    placed = _placed(parse(text))
    return [(number, text[mark.body : mark.tail].strip()) for mark, number, _ in placed]


def _placed(marked: Marked) -> Iterator[tuple[Mark, int, int]]:
    """Yield each comment with its line in the accepted view, and its place there."""
    shown = [run for run in runs(marked) if run.role in (Role.PLAIN, Role.NEW)]
    at, number, length = 0, 1, 0
    for mark in marked.comments:
        while at < len(shown) and shown[at].end <= mark.start:
            number += marked.text.count("\n", shown[at].start, shown[at].end)
            length += shown[at].end - shown[at].start
            at += 1
        yield mark, number, length
