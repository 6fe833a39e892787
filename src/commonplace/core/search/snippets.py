"""The piece of a passage to show for a hit: where most of the words asked for meet.

For the eye only, so words match roughly: without regard to case and accents, by how they start.
"""

import unicodedata
from collections.abc import Iterator, Sequence

SNIPPET_MAX = 300
_TERMS_MAX = 32

_PASSAGE_MAX = 8_000
_EDGE_MAX = 24
_LEAD_MAX = 80
_ZERO_WIDTH_JOINER = "\u200d"
_CUT = "…"


def snippet(text: str, terms: Sequence[str], start: int, end: int, size: int = SNIPPET_MAX) -> str:
    """Show at most `size` characters of a passage on one line, cut at words, with an ellipsis."""
    end = min(end, start + _PASSAGE_MAX)
    if end - start <= size:
        return " ".join(text[start:end].split())
    room = size - 2 * len(_CUT)
    low = start + _meeting(text[start:end].translate(_FOLDED), terms, room - 2 * _EDGE_MAX)
    low = _between_words(text, min(low, end - room), start)
    high = end if low + room >= end else _between_words(text, low + room, low)
    shown = " ".join(text[low:high].split())
    return f"{_CUT if low > start else ''}{shown}{_CUT if high < end else ''}"


def _meeting(passage: str, terms: Sequence[str], room: int) -> int:
    """Find the place from which most different terms are in reach, a little before the first."""
    hits = sorted(
        (place, number)
        for number, term in enumerate(terms[:_TERMS_MAX])
        for place in _places(passage, _stem(term.translate(_FOLDED)))
    )
    best, chosen, first = (0, 0), 0, 0
    seen: dict[int, int] = {}
    for last, (place, number) in enumerate(hits):
        seen[number] = seen.get(number, 0) + 1
        while place - hits[first][0] > room:
            gone = hits[first][1]
            seen[gone] -= 1
            if not seen[gone]:
                del seen[gone]
            first += 1
        if (len(seen), last - first) > best:
            best = (len(seen), last - first)
            span = place - hits[first][0]
            chosen = hits[first][0] - min((room - span) // 2, _LEAD_MAX)
    return max(chosen, 0)


def _places(passage: str, stem: str) -> Iterator[int]:
    place = passage.find(stem) if stem else -1
    while place >= 0:
        if place == 0 or not (_parts_words(stem[0]) and passage[place - 1].isalnum()):
            yield place
        place = passage.find(stem, place + len(stem))


def _stem(term: str) -> str:
    if not term or not _parts_words(term[0]):
        return term
    return term[:-2] if len(term) > 5 else term.removesuffix("s") if len(term) > 3 else term


def _parts_words(character: str) -> bool:
    """Whether a character's script is written with spaces; roughly, those before Thai are."""
    return character < "\u0e00" or "\u1e00" <= character <= "\u1fff"


def _between_words(text: str, place: int, floor: int) -> int:
    """Step back to the end of the last white space, if it is near; never cut into a character."""
    reach = range(place, max(floor, place - _EDGE_MAX), -1)
    spaces = (back for back in reach if text[back - 1].isspace())
    letters = (back for back in reach if not _belongs_to_the_one_before(text, back))
    return next(spaces, None) or next(letters, place)


def _belongs_to_the_one_before(text: str, place: int) -> bool:
    joined = _ZERO_WIDTH_JOINER in text[place - 1 : place + 1]
    return joined or unicodedata.category(text[place]) in {"Mn", "Mc", "Me", "Sk"}


class _Folded(dict[int, str]):
    """A table for `str.translate`: each character's lower case without accents, one for one."""

    def __missing__(self, code: int) -> str:
        lower = chr(code).lower()
        lower = lower if len(lower) == 1 else chr(code)
        base, *marks = unicodedata.normalize("NFD", lower)
        self[code] = folded = base if all(map(unicodedata.combining, marks)) else lower
        return folded


_FOLDED = _Folded()
