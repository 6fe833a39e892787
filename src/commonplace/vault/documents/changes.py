"""What can happen to a live document, as values: the plan of an edit, and what came of it."""

from asyncio import Future
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from commonplace.core.history import Delta
from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument
from commonplace.vault.files.reader import NOTE_BYTES_MAX
from commonplace.vault.log.log import Author, Record

Plan = Callable[[str], Sequence[Edit]]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a change came to.

    `update` is for the readers of the document: complete, in causal order, empty if they see no
    change. `record` is for the log, empty if there is nothing to keep.
    """

    update: bytes
    record: bytes
    authors: tuple[Author, ...]


@dataclass(frozen=True, slots=True)
class Edited(Taken):
    """An edit of the server's own: the text before, what was changed in it, and the text after."""

    before: str
    edits: Sequence[Edit]
    text: str


@dataclass(frozen=True, slots=True)
class Ingested(Taken):
    """A text of the disk merged in; `base` is the state that has exactly the disk's text."""

    text: str
    base: bytes


class Change(NamedTuple):
    """A saved change, as followers hear of it; `origin` is whoever sent it."""

    id: str
    update: bytes
    actor: str
    origin: object
    cause: str = "call"


class Purpose(NamedTuple):
    """What an edit is for: its cause and change set, for the history, and what is saved with it.

    `records` are worked out from the edit that was made, and saved in the same step; they are
    saved alone if there was nothing to change. `delta` says better than the edit itself what it
    changes: which passages were put back, and whose they are.
    """

    cause: str = "call"
    set: str = ""
    records: Callable[[Edited], Sequence[Record]] | None = None
    delta: Callable[[Edited], Delta] | None = None

    @property
    def packed(self) -> str:
        """Cause and set as the log keeps them."""
        return f"{self.cause} {self.set}".rstrip()


CALL, TYPING, FILE, UPKEEP = map(Purpose, ("call", "typing", "file", "upkeep"))


class ChangeRecorder:
    """What documents tell the history, in the order of their changes; this one keeps nothing."""

    def changing(self, id: str, text: Callable[[], str], actor: str, purpose: Purpose) -> None:
        """Hear that somebody is about to change a text; asking for it may cost its length."""

    def changed(self, id: str, taken: Taken, purpose: Purpose, saved: "Future[int]") -> None:
        """Hear what was changed, and when it is saved."""

    def leaving(self, id: str) -> None:
        """Hear that a document is about to leave memory."""

    async def settle(self, id: str) -> None:
        """Keep what was heard of a document: its log is about to be made short."""

    def note(
        self, id: str, path: str, actor: str, purpose: Purpose, text: str, *, was: str = ""
    ) -> None:
        """Take down that a note was renamed, deleted or restored; `was` is its old path."""

    def create(self, id: str, path: str, actor: str, purpose: Purpose, text: str) -> None:
        """Take down that a note was created with a text."""

    def rewrite(
        self, id: str, path: str, actor: str, purpose: Purpose, texts: tuple[str, str]
    ) -> None:
        """Take down that a note was rewritten as its file: the texts before and after."""

    async def rewrite_late(
        self, id: str, path: str, actor: str, purpose: Purpose, plan: Plan, text: str
    ) -> None:
        """Take down a rewriting that a crash kept from the history, if that led to the text."""

    async def move_late(self, id: str, path: str, was: str, actor: str, purpose: Purpose) -> None:
        """Take down a rename that a crash kept from the history."""

    async def flush(self, ids: Iterable[str] | None = None) -> None:
        """Keep all that was heard until now, of some documents or of all."""


ChangeListener = Callable[[Change], None]


def refuse_unwritable(edits: Sequence[Edit], after: str) -> None:
    """Refuse edits that no note can take, before anything is touched."""
    for edit in edits:
        if "\0" in edit.text or not _encodable(edit.text):
            raise BadArgument("The text has a NUL or half a character (a lone surrogate) in it.")
    if too_long(after):
        raise BadArgument(f"The note would be longer than {NOTE_BYTES_MAX // 1_000_000} MB.")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def too_long(text: str, more: int = 0) -> bool:
    """Tell whether a text with so many bytes more would be too long for a note."""
    return len(text) * 4 + more > NOTE_BYTES_MAX and len(text.encode()) + more > NOTE_BYTES_MAX
