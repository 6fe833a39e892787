"""Places in a text as UTF-8 bytes, which is how the Markdown parser counts."""

from collections.abc import Sequence


def byte_offsets(text: str, places: Sequence[int]) -> list[int]:
    """Turn places in code points, in ascending order, into places in bytes."""
    if text.isascii():
        return list(places)
    offsets: list[int] = []
    place = offset = 0
    for following in places:
        offset += len(text[place:following].encode())
        place = following
        offsets.append(offset)
    return offsets
