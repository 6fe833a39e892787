"""What changed between two short texts, word by word, for a person to see."""

import re
from typing import Literal

WORDS_MAX = 4000

DiffKind = Literal["same", "gone", "new"]

_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def word_diff(old: str, new: str) -> list[tuple[DiffKind, str]]:
    """Return stretches that stay, go or come; together, in order, they hold both texts."""
    from rapidfuzz.distance import Indel  # late: most calls need none

    before, after = _WORD.findall(old), _WORD.findall(new)
    if max(len(before), len(after)) > WORDS_MAX:
        whole: list[tuple[DiffKind, str]] = [("gone", old), ("new", new)]
        return [part for part in whole if part[1]]
    found: list[tuple[DiffKind, str]] = []
    gone = new = ""
    for code in Indel.opcodes(before, after):
        if code.tag == "equal":
            same = "".join(before[code.src_start : code.src_end])
            found.extend((("gone", gone), ("new", new), ("same", same)))
            gone = new = ""
        else:
            gone += "".join(before[code.src_start : code.src_end])
            new += "".join(after[code.dest_start : code.dest_end])
    found.extend((("gone", gone), ("new", new)))
    return [part for part in found if part[1]]


def changed_words(old: str, new: str) -> tuple[int, int]:
    """Count the words that come and those that go."""
    came = gone = 0
    for kind, text in word_diff(old, new):
        count = sum(1 for word in _WORD.findall(text) if not word.isspace())
        came += count if kind == "new" else 0
        gone += count if kind == "gone" else 0
    return came, gone
