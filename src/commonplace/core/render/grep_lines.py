"""What `grep` found, as lines, paths or counts, a part of it at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

ANSWER_CHARS_MAX = 1_000_000
FOUND_LINE_MAX = 500
HEAD_LIMIT = 250


@dataclass(frozen=True, slots=True)
class Line:
    """A line that `grep` shows: one that matches, or one beside it."""

    number: int
    text: str
    is_match: bool = True


@dataclass(frozen=True, slots=True)
class GrepLines:
    """The lines that `grep` shows of one document; an iterator gives them in order."""

    path: str
    lines: Iterable[Line]


@dataclass(frozen=True, slots=True)
class GrepPage:
    """Which part of an answer `grep` shows: `limit` entries after `offset`, all for 0."""

    limit: int = HEAD_LIMIT
    offset: int = 0


def found_lines(
    documents: Iterable[GrepLines], page: GrepPage, *, numbers: bool = True, context: bool = False
) -> str:
    """Return what `grep` found as lines; `context` says that lines beside them were asked for."""
    return _paged(_output_lines(documents, numbers, context), page)


def found_files(paths: Iterable[str], page: GrepPage) -> str:
    """Return what `grep` found as paths."""
    return _paged(paths, page)


def found_counts(counts: Iterable[tuple[str, int]], page: GrepPage) -> str:
    """Return how many matches `grep` found in each document."""
    return _paged((f"{path}:{count}" for path, count in counts), page)


def _output_lines(documents: Iterable[GrepLines], numbers: bool, context: bool) -> Iterator[str]:
    is_first = True
    for document in documents:
        before = None
        for line in _merged(document.lines):
            touches = before is not None and line.number <= before + 1
            if context and not touches and not is_first:
                yield "--"
            yield _output_line(document.path, line, numbers)
            is_first, before = False, line.number


def _merged(lines: Iterable[Line]) -> Iterable[Line]:
    if isinstance(lines, Iterator):
        return lines
    ordered = sorted(lines, key=lambda line: (line.number, line.is_match))
    return {line.number: line for line in ordered}.values()


def _output_line(path: str, line: Line, numbers: bool) -> str:
    mark, kind = (":", "matching") if line.is_match else ("-", "context")
    text = line.text.removesuffix("\r")
    if len(text) > FOUND_LINE_MAX:
        text = f"[Omitted long {kind} line]"
    return f"{path}{mark}{line.number}{mark}{text}" if numbers else f"{path}{mark}{text}"


def _paged(entries: Iterable[str], page: GrepPage) -> str:
    rest = iter(entries)
    skipped = sum(1 for _ in islice(rest, max(page.offset, 0)))
    shown = list(_fitting(islice(rest, page.limit) if page.limit > 0 else rest))
    is_cut = next(rest, None) is not None
    if not shown and not skipped:
        return "No matches found."
    marks = [f"limit: {len(shown)}"] * is_cut + [f"offset: {page.offset}"] * (page.offset > 0)
    body = "\n".join(shown) if shown else "No entries at this offset."
    return f"{body}\n\n[Showing results with pagination = {', '.join(marks)}]" if marks else body


def _fitting(entries: Iterable[str]) -> Iterator[str]:
    """Yield entries until an answer is full."""
    size = 0
    for entry in entries:
        yield entry
        size += len(entry) + 1
        if size >= ANSWER_CHARS_MAX:
            return
