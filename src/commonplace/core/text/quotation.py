"""A quotation: text of notes and callers among our own words, in one line, bounded, all of it seen.

Names of authors, targets of links, titles and whatever a caller wrote may be anything. Where one
of them is a part of a line of ours, it can neither begin another line, and so look like a section
of the answer, nor obey a terminal, nor turn the direction of the words beside it.
"""

from commonplace.core.text.invisible import visible

NAME_MAX = 64
LINE_MAX = 300
_BREAKS = str.maketrans("\n\t", "  ")


def one_line(text: str, most: int = LINE_MAX) -> str:
    """Return a text in one line of at most so many characters, with nothing invisible in it."""
    cut = f"{text[:most]}…" if len(text) > most else text
    return visible(cut.replace("\r\n", "\n").translate(_BREAKS))


def name(text: str) -> str:
    """Return what somebody is called, as short as a name is."""
    return one_line(text, NAME_MAX)
