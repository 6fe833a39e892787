"""The delimiters of CriticMarkup, the marks that they make, and how a text is put between them.

    {++inserted++}   {--deleted--}   {~~old~>new~~}   {>>comment<<}   {==highlight==}

`parse` decides which delimiters of a text belong together. A mark cannot hold every text: `a --} b`
would close a deletion too early, and `{++` would begin another mark. Such a text is *cut* inside
each delimiter and written as several marks in a row:

    a --} b   is deleted as   {--a ---}{---} b--}

A place is a cut, and two neighbouring marks meet at a seam, by one and the same rule, so
`suggestions` finds what `cuts` made. With `guard`, empty metadata follows each opening delimiter:
it keeps a text that looks like metadata, or begins with `}`, or touches another mark, from being
misread.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from commonplace.core.critic.metadata import Metadata

Derived = TypeVar("Derived")


class Kind(StrEnum):
    """What a mark is; the value is the sign that its two delimiters double."""

    INSERTED = "+"
    DELETED = "-"
    REPLACED = "~"
    COMMENT = ">"
    HIGHLIGHT = "="

    @property
    def opener(self) -> str:
        """The opening delimiter."""
        return f"{{{self}{self}"

    @property
    def closer(self) -> str:
        """The closing delimiter."""
        return "<<}" if self is Kind.COMMENT else f"{self}{self}}}"


WIDTH = 3
DIVIDER = "~>"
OPENERS = {kind.opener: kind for kind in Kind}
CLOSERS = {kind.closer: kind for kind in Kind}
DELIMITERS = (*OPENERS, *CLOSERS)

OPENER = re.compile(r"\{(?:\+\+|--|~~|==|>>)")
CLOSER = re.compile(r"\}(?<=\+\+\}|--\}|~~\}|==\}|<<\})")


class Mark(NamedTuple):
    """Delimited text: `[start:body]` opens it (metadata included), `[tail:end]` closes it.

    A replacement is divided at `middle`; in other marks that is `body` if the text is new, and
    `tail` if it is old. A tuple, because a long note has thousands.
    """

    kind: Kind
    start: int
    body: int
    middle: int
    tail: int
    end: int
    meta: Metadata | None

    @property
    def old(self) -> tuple[int, int]:
        """Where the text stands that an accepted suggestion removes."""
        return self.body, self.middle

    @property
    def new(self) -> tuple[int, int]:
        """Where the text stands that an accepted suggestion adds."""
        return self.middle + (2 if self.kind is Kind.REPLACED else 0), self.tail


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A text and the marks in it, each list in order. Fences are (start, end) of code blocks.

    What is worked out of it (views, groups, a page) is kept in `derived`, and goes when it goes.
    """

    text: str
    suggested: list[Mark]
    comments: list[Mark]
    highlights: list[Mark]
    fences: list[tuple[int, int]]
    derived: dict[object, Any] = field(default_factory=dict[object, Any], repr=False)

    def keep(self, what: object, make: Callable[[], Derived]) -> Derived:
        """Return something that is worked out of the text, made when it is first asked for."""
        if what not in self.derived:
            self.derived[what] = make()
        return self.derived[what]

    @property
    def has_no_other_braces(self) -> bool:
        """Whether each brace opens a mark, so that no view holds a delimiter."""
        marks = len(self.suggested) + len(self.comments) + len(self.highlights)
        return self.text.count("{") == marks


def has_delimiters(text: str) -> bool:
    """Tell whether a text holds delimiters of both sorts, and so perhaps marks."""
    return bool(OPENER.search(text) and CLOSER.search(text))


_CUT = re.compile(r"\{(?=\+\+|--|~~|==|>>)|\+(?=\+\})|-(?=-\})|~(?=~\})|=(?==\})|<(?=<\})")


def cuts(kind: Kind, content: str) -> list[int]:
    """Return where a text must be cut to be held by marks of a kind."""
    found = [match.end() for match in _CUT.finditer(content)]
    if _tears(kind, content[-2:-1], content[-1:]):
        found.append(len(content) - 1)
    return found


def is_seam(kind: Kind, left: str, right: str, ahead: str) -> bool:
    """Tell whether two neighbouring marks hold one text that was cut between them.

    `left` is the last character of the one, `right` the text of the other, and `ahead` the next
    two characters, be they in the other or in the mark behind it.
    """
    return _CUT.match(left + ahead) is not None or _tears(kind, left, right)


def wrapped(kind: Kind, meta: str, content: str) -> str:
    """Return the marks that hold a text, or nothing for no text."""
    parts = [content[a:b] for a, b in pieces(0, len(content), cuts(kind, content))]
    return "".join(f"{kind.opener}{meta}{part}{kind.closer}" for part in parts)


def pieces(start: int, end: int, places: list[int]) -> Iterator[tuple[int, int]]:
    """Divide `[start:end]` at those of the places that lie inside."""
    for place in places:
        if start < place < end:
            yield start, place
            start = place
    if start < end:
        yield start, end


def _tears(kind: Kind, brace: str, rest: str) -> bool:
    """Find a brace and one sign at the very end, which the closing delimiter would complete."""
    return brace == "{" and rest == kind.value
