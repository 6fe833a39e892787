"""What stands below the lines of a document: suggestions that wait, comments, decisions."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from commonplace.core.text import quotation

PENDING_MAX = 200
PERHAPS_REJECTED = "perhaps rejected in the file"
SIDE_WORDS_MAX = 10


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
        f"  {_VERBS.get(each.verdict, each.verdict)} by {quotation.name(each.who)}:"
        f" {_sides(each)}{_because(each)}"
        for each in decisions
    ]
    return "\n".join(["[Decided since your last read]", *rows]) if rows else None


def comment_list(comments: Iterable[CommentLine], more: int = 0) -> str | None:
    """Return people's comments on a document, to stand below its lines; `more` are not given."""
    rows = [
        f'  L{each.line}: "{_short(each.text)}"{_about(each)}{_credit(each)}' for each in comments
    ]
    rows += [f"  … and {more:,} more"] if more else []
    return "\n".join(["[Comments]", *rows]) if rows else None


def _sides(suggestion: PendingLine | Decided) -> str:
    old = f"{{--{_short(suggestion.old)}--}}" if suggestion.old else ""
    new = f"{{++{_short(suggestion.new)}++}}" if suggestion.new else ""
    return old + new


def _doubt(suggestion: PendingLine) -> str:
    return f", {PERHAPS_REJECTED}" if suggestion.perhaps_rejected else ""


def _short(side: str) -> str:
    words = side.split()
    if len(words) > SIDE_WORDS_MAX:
        return quotation.one_line(f"{' '.join(words[:3])} ... {' '.join(words[-3:])}")
    return quotation.one_line(side)


def _because(decided: Decided) -> str:
    return f' (reason: "{_short(decided.reason)}")' if decided.reason else ""


def _about(remark: CommentLine) -> str:
    return f' on "{_short(remark.about)}"' if remark.about else ""


def _credit(suggestion: PendingLine | CommentLine) -> str:
    author = "" if suggestion.author is None else f" ({quotation.name(suggestion.author)})"
    age = "" if suggestion.seconds is None else f" {_age(suggestion.seconds)} ago"
    return author + age


def _age(seconds: int) -> str:
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{max(seconds, 0)}s"
