"""A decision on a change set as a value: what was decided, by whom, and in which order.

Its steps are those of an intent (`vault.history.intents`); when that closes, what each of them did
is kept beside this, as the way back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from commonplace.vault.history.intents import Json
from commonplace.vault.suggestions.review import Verdict

_ORDER = ("create", "update", "rename", "delete")


@dataclass(frozen=True, slots=True)
class SetDecision:
    """A person's decision on part of a set, or on all of it; `count` changes were decided."""

    id: int
    set: int
    verdict: Verdict
    who: str
    reason: str
    time: float
    count: int

    def packed(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def unpacked(cls, text: str) -> "SetDecision":
        """Return what was packed."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Ordered:
    """The steps of a decision, or of its undoing, in the order in which they are taken.

    The first ones one by one, then all notes together, then the last ones one by one.
    """

    first: tuple[Json, ...]
    notes: tuple[Json, ...]
    last: tuple[Json, ...]

    @property
    def steps(self) -> tuple[Json, ...]:
        """All of them."""
        return (*self.first, *self.notes, *self.last)

    @property
    def back(self) -> "Ordered":
        """The same steps in the order in which they are taken back."""
        return Ordered(self.last[::-1], self.notes, self.first[::-1])


def in_order(steps: Sequence[Json]) -> Ordered:
    """Put steps in order: creates, rewritings, renames, suggestions, deletes.

    A note that is rewritten comes first, before a rename that changes its heading or its links,
    and before the suggestions in it: what a person was shown of the rewriting is what is done then.
    """
    notes = tuple(step for step in steps if "parked" not in step)
    writes = sorted(
        (step for step in steps if "parked" in step), key=lambda step: _ORDER.index(_what(step))
    )
    first = tuple(step for step in writes if _what(step) != "delete")
    return Ordered(first, notes, tuple(step for step in writes if _what(step) == "delete"))


def _what(step: Mapping[str, Any]) -> str:
    return step["parked"]["operation"]
