"""Which lines of a text an answer has room for."""

from collections.abc import Sequence
from dataclasses import dataclass

PAGE_CHARS_MAX = 200_000


@dataclass(frozen=True, slots=True)
class LinePage:
    """Lines `first` to `last` of `total`, counted from 1; `whole` if none of them is cut."""

    first: int
    last: int
    total: int
    whole: bool = True

    @property
    def is_last(self) -> bool:
        """Whether no line comes after it."""
        return self.last >= self.total


NO_LINES = LinePage(1, 0, 0)


def lines_of(text: str) -> list[str]:
    """Divide a text into lines; its last newline opens no other."""
    return text.removesuffix("\n").split("\n") if text else []


def fit(lines: Sequence[str], first: int, limit: int, width_max: int, beside: int = 1) -> LinePage:
    """Return as many lines from `first` on as have room, at least one if there is one.

    A line is cut at `width_max` characters, and takes `beside` more.
    """
    asked = lines[first - 1 : first - 1 + limit]
    widths = list(map(len, asked))
    if sum(widths) + beside * len(widths) <= PAGE_CHARS_MAX and max(widths, default=0) <= width_max:
        return LinePage(first, first - 1 + len(asked), len(lines))
    last, chars, whole = first - 1, 0, True
    for line in asked:
        chars += min(len(line), width_max) + beside
        if chars > PAGE_CHARS_MAX and last >= first:
            break
        last += 1
        whole = whole and len(line) <= width_max
    return LinePage(first, last, len(lines), whole)
