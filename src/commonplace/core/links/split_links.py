"""Links that a pending suggestion runs through, found where they stand in the marked text.

Such a link reads differently accepted and rejected, and as marked it is none. Its target is spelled
anew if that is right in both views: where one of them does not show it, or where both name the same
note, which ends a suggestion that was about the spelling alone. Any other is left, to be reported.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from commonplace.core import critic, markdown
from commonplace.core.critic.marks import Mark, Marked
from commonplace.core.critic.views import Role, TextView, between, text_between
from commonplace.core.markdown import Link
from commonplace.core.text.edits import Edit

Spelling = tuple[bool, str]
"""Whether a link is a Markdown link, and its target as it is written."""

LinkWriter = Callable[[Link, bytes, str], str]
"""Writes a target for the place of a link in a text."""


@dataclass(frozen=True, slots=True)
class _Target:
    """What a link of a view names: its place in the marked text, and the text to put there."""

    start: int
    end: int
    written: str
    shown: str
    raw: str


def respelled(
    text: str, spellings: Mapping[Spelling, str], write: LinkWriter, known: Iterable[Edit]
) -> tuple[list[Edit], list[str]]:
    """Spell the targets of split links anew, but those known already; also give those left."""
    marked = critic.parse(text)
    if not marked.suggested and not marked.comments and not marked.highlights:
        return [], []
    done = {edit.start for edit in known}
    shown = {
        Role.NEW: _targets(critic.accepted_view(marked), spellings, write, done),
        Role.OLD: _targets(critic.base_view(marked), spellings, write, done),
    }
    edits: dict[int, Edit] = {}
    left: dict[str, None] = {}
    for side, other in ((Role.NEW, Role.OLD), (Role.OLD, Role.NEW)):
        for target in shown[side]:
            edit = _edit(marked, target, side, shown[other], other)
            if edit is None:
                left[target.raw] = None
            else:
                edits[edit.start] = edit
    return list(edits.values()), list(left)


def _targets(
    view: TextView, spellings: Mapping[Spelling, str], write: LinkWriter, done: set[int]
) -> list[_Target]:
    found: list[_Target] = []
    source = view.text.encode()
    for link in markdown.scan(view.text).links:
        wanted = spellings.get((link.kind == "markdown", link.target))
        if wanted is None or link.target_start == link.target_end:
            continue
        first = len(source[: link.target_start].decode())
        name = source[link.target_start : link.target_end].decode()
        start, end = view.marked(first), view.marked(first + len(name) - 1) + 1
        if start not in done:
            shown = source[link.start : link.end].decode()
            found.append(_Target(start, end, write(link, source, wanted), name, shown))
    return sorted(found, key=lambda target: target.start)


def _edit(
    marked: Marked, target: _Target, side: Role, others: list[_Target], other: Role
) -> Edit | None:
    start, end = target.start, target.end
    whole = end - start == len(target.shown)
    # The targets of a view stand apart and in order: only a neighbour can be at the same place.
    near = bisect_left(others, start, key=lambda each: each.start)
    for same in others[max(0, near - 1) : near + 2]:
        if same.written != target.written:
            continue
        if whole and (same.start, same.end) == (start, end):
            return Edit(start, end, target.written)
        low, high = _around(marked.suggested, min(start, same.start), max(end, same.end))
        views = (text_between(marked, low, high, each) for each in (side, other))
        if tuple(views) == (target.shown, same.shown) and not between(marked.comments, low, high):
            return Edit(low, high, target.written)
    if whole and not text_between(marked, start, end, other):
        return Edit(start, end, target.written)
    return None


def _around(marks: list[Mark], start: int, end: int) -> tuple[int, int]:
    """Stretch a range over the whole of each suggestion that it reaches into."""
    reached = between(marks, start, end)
    if not reached:
        return start, end
    return min(start, reached[0].start), max(end, reached[-1].end)
