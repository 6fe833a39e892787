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


class Unanswered(Exception):
    """Ends a call whose question goes to the client: the answer comes with the next call."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.id)
        self.question = question


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person said, and to which question."""

    question: str
    choice: Choice


Ask = Callable[[Question], Awaitable[Choice]]


@dataclass(frozen=True, slots=True)
class Asker:
    """The assistant that wants to write, by its id and its name for people.

    `ask` puts a question to its person, and is None if it cannot. Where an answer comes with the
    next call instead, `ask` ends the call by raising, and `reply` is the answer of the call before.
    One that `suggests_only` changes nothing by itself, whatever a policy or an earlier answer says.
    """

    id: str
    name: str
    ask: Ask | None = None
    reply: Reply | None = None
    suggests_only: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """A change that an assistant wants.

    `change` is what the performer of this `kind` is given. `summary` says in a few words, after
    "wants to", what would change, and `diff` shows it.
    """

    operation: Operation
    path: str
    kind: str
    change: Json
    summary: str
    diff: str = ""


Prepare = Callable[[], Awaitable[Wish]]


def call_key(tool: str, given: Json, asker: Asker) -> str:
    """Tell one call from another: the same name, tool and arguments make the same call."""
    parts = json.dumps([asker.name, tool, given], sort_keys=True)
    return hashlib.sha256(parts.encode()).hexdigest()


def message(wish: Wish, asker: Asker) -> str:
    """Say to a person what an assistant wants to do."""
    parts = (f"{asker.name} wants to {wish.summary}", wish.diff)
    return "\n\n".join(part for part in parts if part)
