"""The texts that `read`, `glob`, `grep` and `get_links` answer with.

Assistants parse these with their eyes, so every word here is part of the tools' contract. The
lines of a note are never altered: what `read` shows is what `edit` has to match. What a reader
could not see is said in a note below instead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from commonplace.core import invisible

PAGE_LINES = 2_000
LINE_MAX = 2_000
FILES_MAX = 100
FOUND_LINE_MAX = 500
HEAD_LIMIT = 250
SIDE_WORDS_MAX = 10
INVISIBLE_COUNTED_MAX = 10_000
KINDS_NAMED_MAX = 8
LINES_NAMED_MAX = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A line that `grep` shows: one that matches, or one beside it."""

    number: int
    text: str
    is_match: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """The lines that `grep` shows of one document."""

    path: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of an answer `grep` shows: `limit` entries after `offset`, all for 0."""

    limit: int = HEAD_LIMIT
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Pending:
    """A suggestion that waits for a decision, on the line where it starts."""

    line: int
    old: str
    new: str
    author: str | None = None
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person decided about a suggestion."""

    verdict: str
    old: str
    new: str
    who: str
    reason: str = ""


def numbered(text: str, offset: int = 1, limit: int = PAGE_LINES) -> str:
    """Return a page of a document with line numbers, from line `offset`."""
    if not text:
        return "Warning: the document exists but the contents are empty."
    lines = text.removesuffix("\n").split("\n")
    first = max(offset, 1)
    if first > len(lines):
        return (
            "Warning: the document exists but is shorter than the provided offset "
            f"({offset}). The document has {_count(len(lines), 'line')}."
        )
    page = lines[first - 1 : first - 1 + max(limit, 1)]
    body = "\n".join(f"{at:>6}\t{_cut(line)}" for at, line in enumerate(page, first))
    last = first + len(page) - 1
    if last == len(lines):
        return body
    note = f"[Showing lines {first}-{last} of {len(lines)}. Use offset={last + 1} to read on.]"
    return f"{body}\n\n{note}"


def pending_list(suggestions: Iterable[Pending]) -> str | None:
    """Return the suggestions that wait in a document, to stand below its lines."""
    rows = [f"  L{each.line}: {_sides(each)}{_credit(each)}" for each in suggestions]
    return "\n".join(["[Pending suggestions]", *rows]) if rows else None


def decided_list(decisions: Iterable[Decided]) -> str | None:
    """Return what was decided about the reader's own suggestions, to stand below the lines."""
    rows = [
        f"  {each.verdict}ed by {each.who}: {_sides(each)}{_because(each)}" for each in decisions
    ]
    return "\n".join(["[Decided since your last read]", *rows]) if rows else None


def path_list(paths: Sequence[str], total: int | None = None) -> str:
    """Return the paths that a glob found; `total` counts those that are not given, too."""
    if not paths:
        return "No files found"
    shown = paths[:FILES_MAX]
    count = max(len(paths), total or 0)
    if count == len(shown):
        return "\n".join(shown)
    note = (
        f"(Showing {len(shown)} of {count} matching files; {count - len(shown)} more are not "
        "listed. Narrow the pattern or path to see the rest.)"
    )
    return "\n".join([*shown, note])


def link_lists(
    backlinks: Iterable[str], forward: Iterable[str], unresolved: Iterable[str] = ()
) -> str:
    """Return a document's links in both directions, and those that lead nowhere if any."""
    missing = sorted(set(unresolved))
    lists = [
        _headed("Backlinks (documents linking to this):", backlinks),
        _headed("Forward links (documents this links to):", forward),
        *([_headed("Unresolved links:", missing)] if missing else []),
    ]
    return "\n\n".join(lists)


def found_lines(
    documents: Iterable[Found], page: Page, *, numbers: bool = True, context: bool = False
) -> str:
    """Return what `grep` found as lines; `context` says that lines beside them were asked for."""
    return _paged(_output_lines(documents, numbers, context), page)


def found_files(paths: Iterable[str], page: Page) -> str:
    """Return what `grep` found as paths."""
    return _paged(paths, page)


def found_counts(counts: Iterable[tuple[str, int]], page: Page) -> str:
    """Return how many matches `grep` found in each document."""
    return _paged((f"{path}:{count}" for path, count in counts), page)


def not_found(path: str, near: Sequence[str] = ()) -> str:
    """Say that a document does not exist, and which ones may have been meant."""
    missing = f"Document not found: {path}"
    if not near:
        return missing
    *others, last = near
    meant = f"{', '.join(others)} or {last}" if others else last
    return f"{missing}. Did you mean {meant}?"


def visible(text: str) -> str:
    """Write every invisible character as its number: `<U+202E>`."""
    pieces: list[str] = []
    done = 0
    for at, character in invisible.positions(text):
        pieces += (text[done:at], f"<{invisible.label(character)}>")
        done = at + 1
    return "".join([*pieces, text[done:]])


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


def _cut(line: str) -> str:
    text = line.removesuffix("\r")
    return text if len(text) <= LINE_MAX else f"{text[:LINE_MAX]}... [truncated]"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _headed(head: str, paths: Iterable[str]) -> str:
    rows = [f"- {path}" for path in sorted(set(paths))]
    return "\n".join([head, *(rows or ["- (none)"])])


def _sides(suggestion: Pending | Decided) -> str:
    old = f"{{--{_short(suggestion.old)}--}}" if suggestion.old else ""
    new = f"{{++{_short(suggestion.new)}++}}" if suggestion.new else ""
    return old + new


def _short(side: str) -> str:
    words = side.split()
    if len(words) > SIDE_WORDS_MAX:
        return f"{' '.join(words[:3])} ... {' '.join(words[-3:])}"
    return side.replace("\n", " ")


def _because(decided: Decided) -> str:
    return f' (reason: "{_short(decided.reason)}")' if decided.reason else ""


def _credit(suggestion: Pending) -> str:
    author = "" if suggestion.author is None else f" ({suggestion.author})"
    age = "" if suggestion.seconds is None else f" {_age(suggestion.seconds)} ago"
    return author + age


def _age(seconds: int) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{max(seconds, 0)}s"


def _output_lines(documents: Iterable[Found], numbers: bool, context: bool) -> Iterator[str]:
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
    ordered = sorted(lines, key=lambda line: (line.number, line.is_match))
    return {line.number: line for line in ordered}.values()


def _output_line(path: str, line: Line, numbers: bool) -> str:
    mark, kind = (":", "matching") if line.is_match else ("-", "context")
    text = line.text.removesuffix("\r")
    if len(text) > FOUND_LINE_MAX:
        text = f"[Omitted long {kind} line]"
    return f"{path}{mark}{line.number}{mark}{text}" if numbers else f"{path}{mark}{text}"


def _paged(entries: Iterable[str], page: Page) -> str:
    rest = iter(entries)
    skipped = sum(1 for _ in islice(rest, max(page.offset, 0)))
    shown = list(islice(rest, page.limit) if page.limit > 0 else rest)
    is_cut = next(rest, None) is not None
    if not shown and not skipped:
        return "No matches found."
    marks = [f"limit: {page.limit}"] * is_cut + [f"offset: {page.offset}"] * (page.offset > 0)
    body = "\n".join(shown) if shown else "No entries at this offset."
    return f"{body}\n\n[Showing results with pagination = {', '.join(marks)}]" if marks else body


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
