"""Named maps of plain values, as a replica."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, cast

from pycrdt import Doc, Map, MapEvent

from commonplace.vault.documents.engine.replica import FAULTS, Replica

Put = tuple[str, str, object]
"""A map's name, a key, and its plain value; `None` takes the key out."""

FIELDS_MAX = 16


class Maps(Replica):
    """Named maps of plain values.

    `touched` says which keys the last `apply` changed, each with the value it had before.
    """

    def __init__(self, names: Sequence[str], client: int | None = None) -> None:
        super().__init__(client)
        doc = cast("Doc[Map[Any]]", self._doc)
        self._maps: dict[str, Map[Any]] = {name: doc.get(name, type=Map) for name in names}
        self.touched: dict[tuple[str, str], object] = {}

    def load(self, updates: Sequence[bytes]) -> None:
        """Integrate updates without a word on what they change."""
        super().apply(updates)

    def apply(self, updates: Sequence[bytes]) -> bytes:
        """Integrate updates in one transaction; answers the update that tells what changed."""
        self.touched = {}
        with ExitStack() as stack:
            for name, shared in self._maps.items():
                subscription = shared.observe_deep(partial(self._touch, name))
                stack.callback(shared.unobserve, subscription)
            return super().apply(updates)

    def put(self, changes: Sequence[Put]) -> bytes:
        """Set and remove keys in one transaction; answers the update that tells of it."""
        self._observe()
        with FAULTS, self._doc.transaction():
            for name, key, value in changes:
                if value is not None:
                    self._maps[name][key] = value
                elif key in self._maps[name]:
                    del self._maps[name][key]
        return self._told()

    def value(self, name: str, key: str) -> object:
        """Read one value; of a map inside, its plain values. `None` if there is none."""
        with FAULTS, self._doc.transaction():
            shared = self._maps[name]
            return _plain(shared[key]) if key in shared else None

    def keys(self, name: str) -> list[str]:
        """Return the keys of a map."""
        with FAULTS:
            return list(self._maps[name].keys())

    def values(self, name: str) -> dict[str, object]:
        """Read all values of a map."""
        with FAULTS, self._doc.transaction():
            return {key: _plain(value) for key, value in self._maps[name].items()}

    def _touch(self, name: str, events: Sequence[object]) -> None:
        for event in cast("Sequence[MapEvent]", events):
            if event.path:
                self.touched.setdefault((name, str(event.path[0])), None)
                continue
            for key, change in cast("dict[str, dict[str, object]]", event.keys).items():
                self.touched.setdefault((name, key), change.get("oldValue"))


def _plain(value: object) -> object:
    """Read a value one level deep; of what is nothing that is looked for, an empty one."""
    if not isinstance(value, Map):
        return {} if value is None else value
    inner = cast("Map[Any]", value)
    if len(inner) > FIELDS_MAX:
        return {}
    return {key: inside for key, inside in inner.items() if isinstance(inside, str | float | int)}
