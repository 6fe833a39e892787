"""What no tool or route should have to think of in a value that came as JSON."""

import math
import re
from typing import cast

NESTING_MAX = 32

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def flaw_in(root: object) -> str | None:
    """Say what is wrong with a value, however deep; a stack, since input may be deep.

    A value without a flaw holds no NUL, no lone surrogate, no number that is not finite, and only
    so much nesting. The words complete a sentence whose subject is the value.
    """
    stack: list[tuple[object, int]] = [(root, 0)]
    while stack:
        value, depth = stack.pop()
        if depth > NESTING_MAX:
            return f"is nested more than {NESTING_MAX} levels deep."
        if isinstance(value, dict):
            members = cast("dict[object, object]", value)
            stack += [(part, depth + 1) for pair in members.items() for part in pair]
        elif isinstance(value, list):
            stack += [(part, depth + 1) for part in cast("list[object]", value)]
        elif flaw := _scalar_flaw(value):
            return flaw
    return None


def _scalar_flaw(value: object) -> str | None:
    if isinstance(value, str):
        if "\0" in value:
            return "holds a NUL character. Send plain text."
        if _LONE_SURROGATE.search(value):
            return "holds half of a surrogate pair, which is not text. Send valid Unicode."
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a finite number."
    return None
