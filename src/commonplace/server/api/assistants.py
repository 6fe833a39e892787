"""Which assistants were here, and what each did last: for people to see."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

ASSISTANTS_MAX = 100
CONNECTED_SECONDS = 300.0

_PATHS = ("file_path", "path", "id")


@dataclass(frozen=True, slots=True)
class Visit:
    """What an assistant did last; `time` in seconds since 1970."""

    name: str
    tool: str
    path: str | None
    time: float


class Visits:
    """The latest of each assistant."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._latest: OrderedDict[str, Visit] = OrderedDict()
        self._listeners: list[Callable[[Visit], None]] = []

    def note(self, name: str, tool: str, arguments: Mapping[str, object]) -> None:
        """Remember a call."""
        named = (arguments.get(key) for key in _PATHS)
        path = next((value for value in named if isinstance(value, str)), None)
        visit = Visit(name, tool, path, self._clock())
        self._latest.pop(name, None)
        self._latest[name] = visit
        while len(self._latest) > ASSISTANTS_MAX:
            self._latest.popitem(last=False)
        for listener in tuple(self._listeners):
            listener(visit)

    def follow(self, listener: Callable[[Visit], None]) -> Callable[[], None]:
        """Hear of every call; call what is returned to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def listed(self) -> list[dict[str, object]]:
        """Tell of all, the latest first."""
        now = self._clock()
        return [
            {
                "name": visit.name,
                "connected": now - visit.time < CONNECTED_SECONDS,
                "last": {"tool": visit.tool, "path": visit.path, "time": int(visit.time * 1000)},
            }
            for visit in reversed(self._latest.values())
        ]
