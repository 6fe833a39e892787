"""What can happen to a live document, as values: the plan of an edit, and what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from commonplace.core.edits import Edit
from commonplace.errors import BadArgument
from commonplace.vault.log import Author

TEXT_MAX = 10 * 1024 * 1024

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
    """An edit of the server's own, and the text it made."""

    text: str


@dataclass(frozen=True, slots=True)
class Ingested(Edited):
    """A text of the disk merged in; `base` is the state that has exactly the disk's text."""

    base: bytes


class Change(NamedTuple):
    """A saved change, as followers hear of it; `origin` is whoever sent it."""

    id: str
    update: bytes
    actor: str
    origin: object


Listener = Callable[[Change], None]


def refuse_unwritable(edits: Sequence[Edit], after: str) -> None:
    """Refuse edits that no note can take, before anything is touched."""
    for edit in edits:
        if "\0" in edit.text or not _encodable(edit.text):
            raise BadArgument("The text has a NUL or half a character (a lone surrogate) in it.")
    if too_long(after):
        raise BadArgument("The note would be longer than 10 MB.")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def too_long(text: str, more: int = 0) -> bool:
    """Tell whether a text with so many bytes more would be too long for a note."""
    return len(text) * 4 + more > TEXT_MAX and len(text.encode()) + more > TEXT_MAX
