"""How a text is put between delimiters so that it is read back as it was.

A mark cannot hold every text: `a --} b` would close a deletion too early, and `{++` would begin
another mark. Such a text is *cut* inside each delimiter and written as several marks in a row:

    a --} b   is deleted as   {--a ---}{---} b--}

A place is a cut, and two neighbouring marks meet at a seam, by one and the same rule, so `listing`
finds what `cut` made. With `guard`, empty metadata follows each opening delimiter: it keeps a text
that looks like metadata, or begins with `}`, or touches another mark, from being misread.
"""

import re
from collections.abc import Iterator

from commonplace.core.critic.marks import Kind

_CUT = re.compile(r"\{(?=\+\+|--|~~|==|>>)|\+(?=\+\})|-(?=-\})|~(?=~\})|=(?==\})|<(?=<\})")


def cuts(kind: Kind, content: str) -> list[int]:
    """Return where a text must be cut to be held by marks of a kind."""
    found = [match.end() for match in _CUT.finditer(content)]
    if _tears(kind, content[-2:-1], content[-1:]):
        found.append(len(content) - 1)
    return found


def is_seam(kind: Kind, left: str, right: str, ahead: str) -> bool:
    """Tell whether two neighbouring marks hold one text that was cut between them.

    `left` is the last character of the one, `right` the text of the other, and `ahead` the next
    two characters, be they in the other or in the mark behind it.
    """
    return _CUT.match(left + ahead) is not None or _tears(kind, left, right)


def wrapped(kind: Kind, meta: str, content: str) -> str:
    """Return the marks that hold a text, or nothing for no text."""
    parts = [content[a:b] for a, b in pieces(0, len(content), cuts(kind, content))]
    return "".join(f"{kind.opener}{meta}{part}{kind.closer}" for part in parts)


def pieces(start: int, end: int, places: list[int]) -> Iterator[tuple[int, int]]:
    """Divide `[start:end]` at those of the places that lie inside."""
    for place in places:
        if start < place < end:
            yield start, place
            start = place
    if start < end:
        yield start, end


def _tears(kind: Kind, brace: str, rest: str) -> bool:
    """Find a brace and one sign at the very end, which the closing delimiter would complete."""
    return brace == "{" and rest == kind.value
