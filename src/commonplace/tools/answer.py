"""What a tool call is answered with."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture beside the text of an answer, and its content type."""

    type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What an assistant gets to see, and what only its client does (`meta`).

    `notes` are blocks of text of their own, for what an array or `null` has no room for.
    """

    text: str
    is_error: bool = False
    meta: Mapping[str, object] | None = None
    notes: tuple[str, ...] = ()
    pictures: tuple[Shown, ...] = ()

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks of text, the answer itself first."""
        return (self.text, *self.notes)
