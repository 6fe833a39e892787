"""The texts that `read`, `glob`, `grep` and `get_links` answer with.

Assistants parse these with their eyes, so every word here is part of the tools' contract. The
lines of a note are never altered: what `read` shows is what `edit` has to match. What a reader
could not see is said in a note below instead. All else from notes and callers is `foreign` text: it
stays in its line, so that it never looks like a section of ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from commonplace.core.text import foreign, invisible
from commonplace.core.text.line_pages import LinePage, fit, lines_of
from commonplace.errors import NotFound

PAGE_LINES = 2_000
LINE_MAX = 2_000
PATH_MAX = 1_024
PENDING_MAX = 200
PERHAPS_REJECTED = "perhaps rejected in the file"
LINKS_MAX = 1_000
ANSWER_CHARS_MAX = 1_000_000
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
class GrepLines:
    """The lines that `grep` shows of one document; an iterator gives them in order."""

    path: str
    lines: Iterable[Line]


@dataclass(frozen=True, slots=True)
class GrepPage:
    """Which part of an answer `grep` shows: `limit` entries after `offset`, all for 0."""

    limit: int = HEAD_LIMIT
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PendingLine:
    """A suggestion that waits for a decision, on the line where it starts."""

    line: int
    old: str
    new: str
    author: str | None = None
    seconds: int | None = None
    perhaps_rejected: bool = False


@dataclass(frozen=True, slots=True)
class CommentLine:
    """A person's comment, on its line, and the passage that it is about."""

    line: int
    text: str
    about: str
    author: str | None = None
    seconds: int | None = None


_VERBS = {"accept": "accepted", "reject": "rejected"}


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a suggestion, and by whom."""

    verdict: str
    old: str
    new: str
    who: str
    reason: str = ""


def numbered(text: str, offset: int = 1, limit: int = PAGE_LINES) -> tuple[str, LinePage]:
    """Return a page of a document with line numbers, from line `offset`, and which lines it has."""
    lines = lines_of(text)
    page = fit(lines, max(offset, 1), max(limit, 1), LINE_MAX, beside=8)
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
    body = "\n".join(map("%6d\t%s".__mod__, enumerate(shown, page.first)))
    if page.is_last:
        return body, page
    note = (
        f"[Showing lines {page.first}-{page.last} of {page.total}."
        f" Use offset={page.last + 1} to read on.]"
    )
    return f"{body}\n\n{note}", page


def pending_list(suggestions: Iterable[PendingLine]) -> str | None:
    """Return the suggestions that wait in a document, to stand below its lines."""
    rest = iter(suggestions)
    rows = [
        f"  L{each.line}: {_sides(each)}{_credit(each)}{_doubt(each)}"
        for each in islice(rest, PENDING_MAX)
    ]
    if more := sum(1 for _ in rest):
        rows.append(f"  … and {more:,} more")
    return "\n".join(["[Pending suggestions]", *rows]) if rows else None


def decided_list(decisions: Iterable[Decided]) -> str | None:
    """Return what was decided about the reader's own suggestions, to stand below the lines."""
    rows = [
        f"  {_VERBS.get(each.verdict, each.verdict)} by {foreign.name(each.who)}:"
        f" {_sides(each)}{_because(each)}"
        for each in decisions
    ]
    return "\n".join(["[Decided since your last read]", *rows]) if rows else None


def comment_list(comments: Iterable[CommentLine]) -> str | None:
    """Return people's comments on a document, to stand below its lines."""
    rows = [
        f'  L{each.line}: "{_short(each.text)}"{_about(each)}{_credit(each)}' for each in comments
    ]
    return "\n".join(["[Comments]", *rows]) if rows else None


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
    backlinks: Iterable[str],
    forward: Iterable[str],
    unresolved: Iterable[str] = (),
    attachments: Iterable[str] = (),
    hidden: int = 0,
) -> str:
    """Return a document's links in both directions, its attachments, and what leads nowhere.

    Of the documents that link here, `hidden` ones are counted and not named.
    """
    missing, attached = sorted(set(unresolved)), sorted(set(attachments))
    lists = [
        _headed("Backlinks (documents linking to this):", backlinks) + _hidden_links(hidden),
        _headed("Forward links (documents this links to):", forward),
        *([_headed("Attachments:", attached)] if attached else []),
        *([_headed("Unresolved links:", missing)] if missing else []),
    ]
    return "\n\n".join(lists)


def _hidden_links(count: int) -> str:
    if not count:
        return ""
    link = "document links" if count == 1 else "documents link"
    return f"\n[{count} more {link} here, outside the folders that you may see.]"


def attachment_links(backlinks: Iterable[str]) -> str:
    """Return the documents that link to an attachment."""
    return _headed("Backlinks (documents linking to this):", backlinks)


def pdf_pages(pages: Sequence[tuple[int, str]], total: int) -> str:
    """Return the text of some pages of a PDF, each below its number."""
    if not pages:
        return f"Warning: the document has {_count(total, 'page')}; none of them was asked for."
    body = "\n\n".join(f"[Page {number} of {total}]\n{text}" for number, text in pages)
    last = pages[-1][0]
    more = f"\n\n[Use offset={last + 1} to read on.]" if last < total else ""
    return body + more


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


def not_found(path: str, near: Sequence[str] = ()) -> NotFound:
    """Word the error that a document does not exist, and which ones may have been meant."""
    missing = f"Document not found: {foreign.one_line(path)}"
    if not near:
        return NotFound(missing)
    *others, last = map(foreign.one_line, near)
    meant = f"{', '.join(others)} or {last}" if others else last
    return NotFound(missing, f"Did you mean {meant}?")


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
    found = sorted(set(paths))
    rows = [f"- {foreign.one_line(path, PATH_MAX)}" for path in found[:LINKS_MAX]]
    if more := len(found) - len(rows):
        rows.append(f"- (and {more:,} more)")
    return "\n".join([head, *(rows or ["- (none)"])])


def _sides(suggestion: PendingLine | Decided) -> str:
    old = f"{{--{_short(suggestion.old)}--}}" if suggestion.old else ""
    new = f"{{++{_short(suggestion.new)}++}}" if suggestion.new else ""
    return old + new


def _doubt(suggestion: PendingLine) -> str:
    return f", {PERHAPS_REJECTED}" if suggestion.perhaps_rejected else ""


def _short(side: str) -> str:
    words = side.split()
    if len(words) > SIDE_WORDS_MAX:
        return foreign.one_line(f"{' '.join(words[:3])} ... {' '.join(words[-3:])}")
    return foreign.one_line(side)


def _because(decided: Decided) -> str:
    return f' (reason: "{_short(decided.reason)}")' if decided.reason else ""


def _about(remark: CommentLine) -> str:
    return f' on "{_short(remark.about)}"' if remark.about else ""


def _credit(suggestion: PendingLine | CommentLine) -> str:
    author = "" if suggestion.author is None else f" ({foreign.name(suggestion.author)})"
    age = "" if suggestion.seconds is None else f" {_age(suggestion.seconds)} ago"
    return author + age


def _age(seconds: int) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{max(seconds, 0)}s"


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
