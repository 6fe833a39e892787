"""Change sets as values: the writes of a set, how they are grouped, and the state that follows.

Pure. Consecutive writes of one assistant belong together while the gaps between them are short, so
no session has to be opened or closed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from commonplace.core.scopes import HOLDER_PREFIX

GAP_SECONDS_MAX = 600.0
SET_QUIET_SECONDS = 120.0

WriteKind = Literal["suggested", "parked", "done"]
WriteOutcome = Literal["", "accepted", "rejected", "failed", "withdrawn", "undone"]
SetState = Literal["open", "ready", "partly decided", "accepted", "rejected", "withdrawn"]


@dataclass(frozen=True, slots=True)
class Write:
    """One write of an assistant, as a reference.

    Suggestions are found by `document`, `actor` and `time`: whose they are, and since when, follows
    them through every change of their text, which their ids do not. A parked write is found by its
    number in the queue; `outcome` and `reason` are what became of it, since the queue forgets.
    """

    id: int
    set: int
    kind: WriteKind
    operation: str
    document: str
    path: str
    actor: str
    time: float
    parked: int | None = None
    outcome: WriteOutcome = ""
    reason: str = ""

    @property
    def place(self) -> tuple[str, str, float]:
        """What its suggestions are found by."""
        return self.document, self.actor, self.time


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What an assistant did for one purpose.

    `key` tells assistants apart, `who` is the name for people. `said_ready` means that the
    assistant called it finished; `named` is when it last said what the set is for. `sent_back` is
    what a person wants done before deciding. `conversation` names the talk that it came from.
    """

    number: int
    key: str
    who: str
    began: float
    title: str = ""
    why: str = ""
    named: float = 0.0
    said_ready: bool = False
    sent_back: str = ""
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many changes of a set wait, and how the others ended."""

    waiting: int = 0
    accepted: int = 0
    modified: int = 0
    rejected: int = 0
    withdrawn: int = 0
    other: int = 0

    @property
    def decided(self) -> int:
        """How many a person has decided."""
        return self.accepted + self.modified + self.rejected


def assistant_key(actor: str, name: str) -> str:
    """Tell assistants apart: by the access token, else by the name and the connection."""
    return actor if actor.startswith(HOLDER_PREFIX) else f"{name}\0{actor}"


def joins(last: float, now: float) -> bool:
    """Tell whether a write belongs to the same purpose as the one before it."""
    return now - last < GAP_SECONDS_MAX


def grouped(times: Iterable[float]) -> list[list[float]]:
    """Part the times of an assistant's writes into purposes."""
    found: list[list[float]] = []
    for time in times:
        if found and joins(found[-1][-1], time):
            found[-1].append(time)
        else:
            found.append([time])
    return found


def state_of(
    one: ChangeSet, last: float, counts: Counts, now: float, *, held: bool = False
) -> SetState:
    """Return the state of a set whose last write was at `last`; one that is held stays open."""
    if counts.waiting:
        if counts.decided:
            return "partly decided"
        quiet = not held and now - max(last, one.named) >= SET_QUIET_SECONDS
        return "ready" if quiet or one.said_ready else "open"
    if counts.accepted or counts.modified:
        return "accepted"
    if counts.rejected:
        return "rejected"
    return "withdrawn"
