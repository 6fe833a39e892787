"""What a copy tells the person about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

NewsKind = Literal[
    "fetched",
    "sent",
    "suggested",
    "removed",
    "deleted",
    "renamed",
    "conflict",
    "trouble",
    "held",
    "offline",
    "online",
    "ready",
]


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened, to a file or to the whole copy."""

    kind: NewsKind
    path: str = ""
    text: str = ""
    count: int = 0


Tell = Callable[[News], None]
