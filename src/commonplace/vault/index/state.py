"""How far the index is, for those who wait for it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

ReportProgress = Callable[[int, int], None]


@dataclass(slots=True)
class IndexState:
    """How far the index is."""

    listed: anyio.Event = field(default_factory=anyio.Event)
    compared: anyio.Event = field(default_factory=anyio.Event)
    current: anyio.Event = field(default_factory=anyio.Event)
    read: int = 0
    todo: int = 0
    building: bool = False
    failing: bool = False
    renewing: bool = False
    outdated: int = 0
