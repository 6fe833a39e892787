"""Whether a text looks like another that was cut short.

A program that saves in place empties the file first, then writes it, at once or in pieces. Whoever
looks in between sees nothing, or a beginning. So does one who looks at a text that a person cut
short on purpose: only time tells them apart.
"""

from commonplace.core.text.comparison import common_prefix, common_suffix

_TAIL_MIN = 16


def deletes_much(before: str, after: str) -> bool:
    """Tell whether a text may be half of a save: empty, a beginning, short, or without its end."""
    if after.startswith(before):
        return False
    if 2 * len(after) < len(before) or before.startswith(after):
        return True
    tail = min(_TAIL_MIN, len(before) // 4)
    if before[len(before) - tail :] == after[len(after) - tail :]:
        return False
    return common_prefix(before, after) + common_suffix(before, after) < len(before)
