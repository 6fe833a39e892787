"""Whether what a search shows of a note is text that nobody has decided yet."""

_AROUND = 16
_PIECE = 60


def shows(snippet: str, before: str, new: str, after: str) -> bool:
    """Tell whether a snippet shows text that a suggestion adds between what stands around it."""
    said = _flat(new)
    if not said:
        return False
    if len(said) > _PIECE:
        pieces = (said[at : at + _PIECE] for at in range(0, len(said) - _PIECE + 1, _PIECE // 2))
        return any(piece in snippet for piece in pieces) or snippet.strip("… ") in said
    # A short one alone would be found by chance.
    left = _flat(before)[-_AROUND:] if before.strip() else ""
    right = _flat(after)[:_AROUND] if after.strip() else ""
    gap_left = " " if left and (before[-1:].isspace() or new[:1].isspace()) else ""
    gap_right = " " if right and (after[:1].isspace() or new[-1:].isspace()) else ""
    starts = (left + gap_left + said, said + gap_right + right)
    return any(each in snippet for each in starts if each != said) or said == snippet.strip("… ")


def _flat(text: str) -> str:
    return " ".join(text.split())
