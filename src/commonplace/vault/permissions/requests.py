"""What an assistant wants to do to a note, and how its person is asked, as values."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from commonplace.core.scopes import HOLDER_PREFIX
from commonplace.errors import Conflict

Operation = Literal["create", "update", "delete", "rename"]
PermissionChoice = Literal["once", "session", "always", "no", "dismissed"]
"""What a person can say; a question that is dismissed was not answered at all."""
Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PermissionQuestion:
    """What a person is asked; `id` ties the answer to this very question.

    `choices` are the ways to say yes, and `reach` says all that "always" would allow.
    `title` names the deed and the note in a few words, and `summary` is the message's first line,
    for a client that can show more than a form.
    """

    id: str
    message: str
    reach: str = ""
    title: str = ""
    summary: str = ""
    choices: tuple[PermissionChoice, ...] = ("once", "session", "always")


class Unanswered(Exception):
    """Ends a call whose question goes to the client: the answer comes with the next call."""

    def __init__(self, question: PermissionQuestion) -> None:
        super().__init__(question.id)
        self.question = question


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person said, and to which question."""

    question: str
    choice: PermissionChoice


Ask = Callable[[PermissionQuestion], Awaitable[PermissionChoice]]


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

    @property
    def has_token(self) -> bool:
        """Whether its name is an access token's, and not just what a program calls itself."""
        return self.id.startswith(HOLDER_PREFIX)


@dataclass(frozen=True, slots=True)
class Wish:
    """A change that an assistant wants.

    `change` is what the performer of this `kind` is given, and `shown`, the diff, where a person
    has said yes to it: then it makes exactly that, or raises `Changed`. `summary` says in a few
    words, after "wants to", what would change, and `diff` shows it.
    """

    operation: Operation
    path: str
    kind: str
    change: Json
    summary: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class WriteStatus:
    """What has become of a write that an assistant asked for.

    It `waits` in the queue under `number`, was `done` at once, or was decided there.
    """

    state: Literal["waits", "done", "approved", "denied", "failed", "withdrawn"]
    operation: str
    path: str
    actor: str
    name: str
    time: float
    number: int | None = None
    reason: str = ""


class Changed(Conflict):
    """What would change is no longer what a person was shown; `diff` is what it is now."""

    def __init__(self, diff: str) -> None:
        super().__init__(
            "The note has changed since this was asked, where it is to be changed. Nothing was"
            " done; look at what would change now, and decide again."
        )
        self.diff = diff


PrepareWish = Callable[[], Awaitable[Wish]]


def call_key(tool: str, given: Json, asker: Asker) -> str:
    """Tell one call from another: the same name, tool and arguments make the same call."""
    parts = json.dumps([asker.name, tool, given], sort_keys=True)
    return hashlib.sha256(parts.encode()).hexdigest()


def title(wish: Wish) -> str:
    """Name what would be done to which note: "Update Garden/Plan.md"."""
    return f"{wish.operation.capitalize()} {wish.path}"


def headline(wish: Wish, asker: Asker) -> str:
    """Say in a line who wants to do what."""
    return f"{asker.name} wants to {wish.summary}"


def message(wish: Wish, asker: Asker) -> str:
    """Say to a person what an assistant wants to do."""
    parts = (headline(wish, asker), wish.diff)
    return "\n\n".join(part for part in parts if part)
