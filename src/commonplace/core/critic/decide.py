"""Accepting and rejecting: edits that delete delimiters and the discarded side, nothing else.

So the characters that stay keep their author and the cursors in them. Comments and highlights stay,
unless they stand inside the discarded side.

A decision leaves every other suggestion as it was, to the letter; if it cannot (an accepted fence
would turn a later suggestion into code), it is refused, and can be made together with that one.
"""

from collections.abc import Collection

from commonplace.core.critic.listing import Group, groups, identified
from commonplace.core.critic.marks import Kind, Mark, Marked
from commonplace.core.critic.reading import parse
from commonplace.core.critic.refusals import Undecidable
from commonplace.core.critic.views import accepted_view, base_view
from commonplace.core.edits import Edit, apply


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
