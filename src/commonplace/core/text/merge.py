"""Two texts that were made from one, as one text.

merge3(base, base, theirs) == theirs                   and the same for ours
merge3 keeps every character that either side added
"""

from dataclasses import replace
from itertools import pairwise

from commonplace.core.text.edits import Edit, apply, diff


def merge3(base: str, ours: str, theirs: str) -> str:
    """Return the text with the changes of both sides, ours first where both added text.

    A character of the base stays when both sides kept it; a change made by both is made once.
    Nothing comes inside a word that the other side put in, and what both wrote on one empty line
    becomes two lines.
    """
    mine, yours = (diff(base, side, bridge=0, by_words=True) for side in (ours, theirs))
    made = set(mine)
    both = mine + [edit for edit in yours if edit not in made]
    return apply(base, _untangled(_on_lines_of_their_own(base, sorted(both, key=_order))))


def _untangled(edits: list[Edit]) -> list[Edit]:
    """Make overlapping edits follow one another: insert each text, delete each character once."""
    cuts = sorted({place for edit in edits for place in (edit.start, edit.end)})
    gone: list[Edit] = []
    reach = passed = 0
    for start, end in pairwise(cuts):
        while passed < len(edits) and edits[passed].start <= start:
            reach = max(reach, edits[passed].end)
            passed += 1
        if end <= reach:
            gone.append(Edit(start, end))
    added = [Edit(edit.start, edit.start, edit.text) for edit in edits if edit.text]
    return sorted(added + gone, key=lambda edit: (edit.start, edit.end))


def _order(edit: Edit) -> tuple[int, int]:
    """Tell in which order texts follow one another where several start at one place.

    Whole lines come before what is added to a line, a line that begins there after it; what
    replaces the text there comes last.
    """
    if edit.start < edit.end:
        return edit.start, 3
    if edit.text.endswith("\n"):
        return edit.start, 0
    return edit.start, 2 if edit.text.startswith("\n") else 1


def _on_lines_of_their_own(base: str, edits: list[Edit]) -> list[Edit]:
    """End the line of a text that another follows on the same empty line."""
    texts = [edit for edit in edits if edit.text]
    joined = {
        one
        for one, other in pairwise(texts)
        if one.start == other.start
        and _is_empty_line(base, one.start)
        and not (one.text.endswith("\n") or other.text.startswith("\n"))
    }
    return [replace(edit, text=edit.text + "\n") if edit in joined else edit for edit in edits]


def _is_empty_line(text: str, place: int) -> bool:
    return text[place - 1 : place] in ("", "\n") and text[place : place + 1] in ("", "\n")
