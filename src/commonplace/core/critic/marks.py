"""The delimiters of CriticMarkup, and the marks that they make.

    {++inserted++}   {--deleted--}   {~~old~>new~~}   {>>comment<<}   {==highlight==}

Which delimiters of a text belong together is told in `reading`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from commonplace.core.critic.metadata import Metadata


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

    Each is equal to itself alone, so that what is worked out of one can be kept for it.
    """

    text: str
    suggested: list[Mark]
    comments: list[Mark]
    highlights: list[Mark]
    fences: list[tuple[int, int]]

    @property
    def has_no_other_braces(self) -> bool:
        """Whether each brace opens a mark, so that no view holds a delimiter."""
        marks = len(self.suggested) + len(self.comments) + len(self.highlights)
        return self.text.count("{") == marks


def has_delimiters(text: str) -> bool:
    """Tell whether a text holds delimiters of both sorts, and so perhaps marks."""
    return bool(OPENER.search(text) and CLOSER.search(text))
