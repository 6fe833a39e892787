"""Accepting and rejecting: edits that delete delimiters and the discarded side, nothing else.

So the characters that stay keep their author and the cursors in them. Comments and highlights stay,
unless they stand inside the discarded side.

A decision leaves every other suggestion as it was, to the letter; if it cannot (an accepted fence
would turn a later suggestion into code), it is refused, and can be made together with that one.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

from commonplace.core.critic.marks import Kind, Mark, Marked
from commonplace.core.critic.parse import parse
from commonplace.core.critic.refusals import Undecidable
from commonplace.core.critic.suggestions import Group, groups, identified
from commonplace.core.critic.views import accepted_view, base_view
from commonplace.core.text.edits import Edit, apply, distance

# How much of the text before and after must still be there, the most telling first.
_WINDOWS = ((24, 24), (24, 6), (6, 24), (6, 6), (24, 0), (0, 24), (6, 0), (0, 6))
_LEAST = 4


def accept(text: str, ids: Collection[str]) -> list[Edit]:
    """Return the edits that accept some suggestions.

    Raises:
        Undecidable: one is gone, or deciding these alone would change another.

    """
    return _decide(text, ids, accepted=True)


def reject(text: str, ids: Collection[str]) -> list[Edit]:
    """Return the edits that reject some suggestions.

    Raises:
        Undecidable: one is gone, or deciding these alone would change another.

    """
    return _decide(text, ids, accepted=False)


def accept_all(text: str) -> list[Edit]:
    """Return the edits that accept everything pending."""
    return _edits(parse(text).suggested, accepted=True)


def reject_all(text: str) -> list[Edit]:
    """Return the edits that reject everything pending."""
    return _edits(parse(text).suggested, accepted=False)


def _decide(text: str, ids: Collection[str], *, accepted: bool) -> list[Edit]:
    marked = parse(text)
    found = groups(marked)
    names = identified(_raw(marked, found))
    unknown = set(ids).difference(names)
    if unknown:
        raise Undecidable(
            f"No pending suggestion has the id {min(unknown)}: it was changed or decided "
            "meanwhile. List the suggestions again."
        )
    chosen = set(ids)
    decided = [group for name, group in zip(names, found, strict=True) if name in chosen]
    others = [group for name, group in zip(names, found, strict=True) if name not in chosen]
    edits = _edits([mark for group in decided for mark in group.marks], accepted=accepted)
    _check_others(marked, others, edits, accepted=accepted)
    return edits


def _check_others(
    marked: Marked, others: list[Group], edits: list[Edit], *, accepted: bool
) -> None:
    if not others:
        return
    after = parse(apply(marked.text, edits))
    view = accepted_view if accepted else base_view
    kept = _raw(after, groups(after)) == _raw(marked, others)
    if not kept or view(after).text != view(marked).text:
        raise Undecidable(
            "Deciding this suggestion alone would change another one beside it or in the code "
            "block that it opens or closes. Decide them together."
        )


def _raw(marked: Marked, found: list[Group]) -> list[str]:
    return [marked.text[group.start : group.end] for group in found]


def _edits(marks: list[Mark], *, accepted: bool) -> list[Edit]:
    edits: list[Edit] = []
    for mark in marks:
        start, end = mark.new if accepted else mark.old
        if mark.kind is (Kind.DELETED if accepted else Kind.INSERTED):
            edits.append(Edit(mark.start, mark.end))
        else:
            edits += (Edit(mark.start, start), Edit(end, mark.end))
    return edits


class DecidableSuggestion(NamedTuple):
    """A suggestion, where it stands, and the edits that accept and reject it."""

    id: str
    start: int
    end: int
    accept: list[Edit]
    reject: list[Edit]


def choices(text: str) -> list[DecidableSuggestion]:
    """List what a person can make of each suggestion by hand, in order."""
    if "{" not in text:
        return []
    marked = parse(text)
    found = groups(marked)
    names = identified(_raw(marked, found))
    return [
        DecidableSuggestion(
            name,
            group.start,
            group.end,
            _edits(group.marks, accepted=True),
            _edits(group.marks, accepted=False),
        )
        for name, group in zip(names, found, strict=True)
    ]


def outcome(
    text: str, before: str, after: str, old: str, new: str
) -> Literal["accept", "reject"] | None:
    """Tell from the accepted view whether a suggestion that is gone was accepted or rejected.

    It goes by what stands between the words that stood around it. Where both fit, or neither does,
    nothing is guessed.
    """
    for left, right in _WINDOWS:
        head, tail = before[len(before) - min(left, len(before)) :], after[:right]
        if len(head) + len(tail) < _LEAST:
            continue  # so little stands everywhere
        accepted, rejected = head + new + tail in text, head + old + tail in text
        if accepted != rejected:
            return "accept" if accepted else "reject"
        if accepted:
            return None
    return None


def accepted_as(text: str, before: str, after: str, old: str, new: str) -> str | None:
    """Return what a person made of a suggestion before accepting it, from the accepted view.

    It is what stands between the words around it, if more of it is the suggestion's than is not.
    """
    for left, right in _WINDOWS:
        head, tail = before[len(before) - min(left, len(before)) :], after[:right] or "\n"
        if len(head) < _LEAST or text.count(head) != 1:
            continue
        start = text.index(head) + len(head)
        end = text.find(tail, start, start + 3 * len(new) + len(tail))
        made = text[start:end] if end >= 0 else ""
        if made and 2 * distance(new, made) <= len(new) + len(made):
            return made if distance(new, made) < distance(old, made) else None
    return None
