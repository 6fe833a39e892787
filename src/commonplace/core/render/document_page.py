"""A page of a document: its lines with their numbers, and what a reader could not see in them.

The lines are never altered: what `read` shows is what `edit` has to match. What is invisible is
said in a note below instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import add

from commonplace.core.text import invisible
from commonplace.core.text.line_pages import LinePage, fit, lines_of

PAGE_LINES = 2_000
SHOWN_LINE_MAX = 2_000
INVISIBLE_COUNTED_MAX = 10_000
KINDS_NAMED_MAX = 8
LINES_NAMED_MAX = 8

_NUMBER = "%6d\t"
_NUMBERS = tuple(map(_NUMBER.__mod__, range(1, PAGE_LINES + 1)))


def numbered(text: str, offset: int = 1, limit: int = PAGE_LINES) -> tuple[str, LinePage]:
    """Return a page of a document with line numbers, from line `offset`, and which lines it has."""
    lines = lines_of(text)
    page = fit(lines, max(offset, 1), max(limit, 1), SHOWN_LINE_MAX, beside=8)
    if not text:
        return "Warning: the document exists but the contents are empty.", page
    if page.first > len(lines):
        warning = (
            "Warning: the document exists but is shorter than the provided offset "
            f"({offset}). The document has {_count(len(lines), 'line')}."
        )
        return warning, page
    shown = lines[page.first - 1 : page.last]
    if "\r" in text or not page.whole:
        shown = list(map(_cut, shown))
    body = "\n".join(map(add, _numbers(page), shown))
    if page.is_last:
        return body, page
    note = (
        f"[Showing lines {page.first}-{page.last} of {page.total}."
        f" Use offset={page.last + 1} to read on.]"
    )
    return f"{body}\n\n{note}", page


def pdf_pages(pages: Sequence[tuple[int, str]], total: int) -> str:
    """Return the text of some pages of a PDF, each below its number."""
    if not pages:
        return f"Warning: the document has {_count(total, 'page')}; none of them was asked for."
    body = "\n\n".join(f"[Page {number} of {total}]\n{text}" for number, text in pages)
    last = pages[-1][0]
    more = f"\n\n[Use offset={last + 1} to read on.]" if last < total else ""
    return body + more


def invisible_note(text: str) -> str | None:
    """Say in a line which invisible characters a document holds, and where."""
    lines: dict[str, list[int]] = {}
    line, counted = 1, 0
    for at, character in islice(invisible.positions(text), INVISIBLE_COUNTED_MAX):
        line += text.count("\n", counted, at)
        counted = at
        lines.setdefault(character, []).append(line)
    if not lines:
        return None
    total = sum(map(len, lines.values()))
    least = "at least " if total == INVISIBLE_COUNTED_MAX else ""
    characters = _count(total, "invisible character")
    return f"[This document holds {least}{characters}: {_kinds(lines)}.]"


def _numbers(page: LinePage) -> Iterable[str]:
    """Return what stands before each line of a page; nearly all pages are first ones."""
    if page.last <= PAGE_LINES:
        return _NUMBERS[page.first - 1 : page.last]
    return map(_NUMBER.__mod__, range(page.first, page.last + 1))


def _cut(line: str) -> str:
    text = line.removesuffix("\r")
    return text if len(text) <= SHOWN_LINE_MAX else f"{text[:SHOWN_LINE_MAX]}... [truncated]"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _kinds(lines: Mapping[str, list[int]]) -> str:
    kinds = [
        f"{invisible.label(character)} x{len(where)} ({_where(where)})"
        for character, where in islice(lines.items(), KINDS_NAMED_MAX)
    ]
    others = len(lines) - len(kinds)
    return ", ".join([*kinds, f"and {_count(others, 'other kind')}"] if others else kinds)


def _where(lines: list[int]) -> str:
    distinct = list(dict.fromkeys(lines))
    named = ", ".join(map(str, distinct[:LINES_NAMED_MAX]))
    more = ", ..." if len(distinct) > LINES_NAMED_MAX else ""
    return f"{'line' if len(distinct) == 1 else 'lines'} {named}{more}"
