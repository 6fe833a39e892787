"""What a person is shown of a write before it is made; what is made is that, or nothing."""

from collections.abc import Sequence

from commonplace.core import critic
from commonplace.core.text import words
from commonplace.core.text.unified_diff import unified
from commonplace.vault.permissions.requests import Changed, Json

_LINES_MAX = 40
_NAMED_MAX = 5


def shown_text(text: str) -> str:
    """Show the text of a new note, as far as a person will read it."""
    return unified("", text, lines_max=_LINES_MAX)


def shown_change(before: str, after: str) -> str:
    """Show a change as people see the text: what waits for a decision is marked in each line."""
    return unified(critic.marked_by_line(before), critic.marked_by_line(after))


def refuse_other_than_shown(change: Json, before: str, after: str) -> None:
    """Refuse what a person has not seen: the note may have changed since the question was put."""
    if "shown" not in change:
        return
    now = shown_change(before, after)
    if _lines(str(change["shown"])) != _lines(now):
        raise Changed(now)


def _lines(diff: str) -> list[str]:
    return [line for line in diff.split("\n") if line[:1] in ("+", "-", "…", "(")]


def size_of(text: str) -> str:
    """Say how long a text is."""
    return f"{_counted(len(text.encode()), 'byte')}, {_counted(words.count(text), 'word')}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def lost_suggestions(waiting: int) -> str:
    """Say how many suggestions would go with a note."""
    if not waiting:
        return ""
    return ", and 1 suggestion that waits" if waiting == 1 else f", and {waiting} that wait"


def backlink_warning(backlinks: Sequence[str], hidden: int = 0) -> str:
    """Say how many notes would be left with a broken link; those who may not be named, by count."""
    if hidden:
        count = "1 note links" if hidden == 1 else f"{hidden} notes link"
        return (
            f"{backlink_warning(backlinks)} Outside the folders that the asker sees, {count} to it."
        )
    if not backlinks:
        return ". No other note links to it."
    count = "1 note links" if len(backlinks) == 1 else f"{len(backlinks)} notes link"
    more = ", …" if len(backlinks) > _NAMED_MAX else "."
    return f". {count} to it: {', '.join(backlinks[:_NAMED_MAX])}{more}"
