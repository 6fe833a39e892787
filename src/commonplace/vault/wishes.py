"""What an assistant wants to do to a note, and how its person is asked, as values."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Operation = Literal["create", "update", "delete", "rename"]
Choice = Literal["once", "session", "always", "no"]
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked; `id` ties the answer to this very question."""

    id: str
    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person said, and to which question."""

    question: str
    choice: Choice


Ask = Callable[[Question], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Asker:
    """The assistant that wants to write: its id, its name, and how to ask its person, if it can."""

    id: str
    name: str
    ask: Ask | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """A change that an assistant wants: `vault.permissions` says what each part is for."""

    operation: Operation
    path: str
    kind: str
    change: Json
    given: Json
    summary: str
    diff: str = ""

    def key(self, asker: Asker) -> str:
        """Tell whether two calls want the same, whatever was typed in the note meanwhile."""
        parts = [asker.name, self.kind, self.path, self.given]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def message(wish: Wish, asker: Asker) -> str:
    """Say to a person what an assistant wants to do."""
    parts = (f"{asker.name} wants to {wish.summary}", wish.diff)
    return "\n\n".join(part for part in parts if part)
