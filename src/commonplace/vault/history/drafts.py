"""Revisions before they are kept: what is under way in a document, and what waits to be kept."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from commonplace.core.history import Delta
from commonplace.errors import CommonplaceError
from commonplace.vault.documents.changes import Purpose
from commonplace.vault.history.history import NewRevision

TYPING_SECONDS = 300.0
_LONG = frozenset({"typing", "file"})
"""Causes whose changes belong together while one actor goes on; any other change is a revision."""


@dataclass(slots=True, eq=False)
class OpenRevision:
    """A revision that is under way; it has a number once part of it is kept."""

    actor: str
    purpose: Purpose
    started: float
    time: float
    before: str
    text: Callable[[], str]
    revision: int | None = None

    def goes_on(self, actor: str, purpose: Purpose, now: float) -> bool:
        """Tell whether a change belongs to it."""
        return (
            purpose.cause in _LONG
            and (self.actor, self.purpose.packed) == (actor, purpose.packed)
            and now - self.started < TYPING_SECONDS
        )


@dataclass(slots=True, eq=False)
class Draft:
    """A revision as it is to be kept, once the log has `saved` what it holds."""

    open: OpenRevision
    after: str
    delta: Delta | None
    saved: "asyncio.Future[int] | None"
    path: str = ""
    note: str = ""


@dataclass(slots=True)
class Trail:
    """What is not kept yet of a document; `head` tells the text that was kept last from others."""

    open: OpenRevision | None = None
    drafts: list[Draft] = field(default_factory=list[Draft])
    saved: "asyncio.Future[int] | None" = None
    head: tuple[int, int] | None = None
    leaving: bool = False


def drafted(each: NewRevision) -> Draft:
    """Return the draft of a revision that was found in the log."""
    purpose = Purpose(each.cause, each.set)
    made = OpenRevision(
        each.actor, purpose, each.started, each.time, each.before, lambda: each.after
    )
    return Draft(made, each.after, each.delta, None)


def mark(text: str) -> tuple[int, int]:
    """Return what tells a text from others."""
    return len(text), hash(text)


async def saved_seq(draft: Draft) -> int | None:
    """Wait until the log has what a draft holds; None if that failed."""
    if draft.saved is None:
        return 0
    try:
        return await asyncio.shield(draft.saved)
    except (CommonplaceError, asyncio.CancelledError):
        if draft.saved.cancelled() or draft.saved.done():
            return None
        raise
