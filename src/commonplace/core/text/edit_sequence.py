"""Lists of edits that are made one after the other, as one list.

apply(text, compose(len(text), first, second)) == apply(apply(text, first), second)
"""

from collections.abc import Iterable

from commonplace.core.text.edits import Edit

_Piece = tuple[int, int, str]
"""A stretch that is kept, or a text that is new."""


def compose(length: int, first: Iterable[Edit], second: Iterable[Edit]) -> list[Edit]:
    """Return the edits of a text of this length that do what two lists do, one after the other."""
    pieces: list[_Piece] = []
    done = 0
    for edit in first:
        pieces += [(done, edit.start, ""), (0, 0, edit.text)]
        done = edit.end
    pieces = _cut_and_filled([*pieces, (done, length, "")], second)
    found: list[Edit] = []
    done, new = 0, ""
    for start, end, text in [*pieces, (length, length + 1, "")]:
        new += text
        if end > start:
            if start > done or new:
                found.append(Edit(done, start, new))
            done, new = end, ""
    return found


def _cut_and_filled(pieces: list[_Piece], edits: Iterable[Edit]) -> list[_Piece]:
    """Return the pieces of a text as edits leave them."""
    made: list[_Piece] = []
    passed = 0
    for edit in edits:
        kept, pieces = _split(pieces, edit.start - passed)
        _, pieces = _split(pieces, edit.end - edit.start)
        made += [*kept, (0, 0, edit.text)]
        passed = edit.end
    return made + pieces


def _split(pieces: list[_Piece], at: int) -> tuple[list[_Piece], list[_Piece]]:
    for index, (start, end, text) in enumerate(pieces):
        size = end - start + len(text)
        if size > at:
            cut = start + at if end > start else 0
            left = (start, cut, text[:at]) if not text or at else (0, 0, "")
            right = (cut, end, text[at:])
            return [*pieces[:index], left], [right, *pieces[index + 1 :]]
        at -= size
    return pieces, []
