"""Questions put to the person at a client: what each showed, and what came of its answer.

An answer counts once. The same answer sent again is given the same result.
"""

import uuid
from collections import OrderedDict
from dataclasses import dataclass, replace

from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.permissions.grants import choices, reach
from commonplace.vault.permissions.requests import (
    Asker,
    Json,
    PermissionQuestion,
    Wish,
    headline,
    message,
    title,
)

_QUESTIONS_MAX = 200
QUESTIONS_CHARS_MAX = 50_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """A wish that a person was asked about; `result` once answered, for the same answer again."""

    key: str
    actor: str
    wish: Wish
    result: Json | CommonplaceError | None = None


class Questions:
    """The latest questions."""

    def __init__(self) -> None:
        self._asked: OrderedDict[str, Asked] = OrderedDict()

    def put(self, wish: Wish, asker: Asker, key: str) -> PermissionQuestion:
        """Make a question of a wish."""
        asked = self._asked
        told, shown, line = message(wish, asker), title(wish), headline(wish, asker)
        far = reach(wish.operation, asker)
        question = PermissionQuestion(
            uuid.uuid4().hex, told, far, shown, line, choices(wish.operation)
        )
        asked[question.id] = Asked(key, asker.id, wish)
        while len(asked) > _QUESTIONS_MAX or (
            len(asked) > 1 and self._held() > QUESTIONS_CHARS_MAX
        ):
            asked.popitem(last=False)
        return question

    def answered(self, key: str, asker: Asker) -> Asked | None:
        """Find the question that the answer of this call belongs to, unless it is too old."""
        asked = self._asked.get(asker.reply.question) if asker.reply else None
        return asked if asked and (asked.key, asked.actor) == (key, asker.id) else None

    def begin(self, question: str) -> Asked:
        """Take a question to be answered now; whoever answers it meanwhile is told to wait."""
        asked = self._asked.get(question)
        if asked is None:
            raise Unavailable("Too many questions were asked at once. Call the tool again.")
        busy = Unavailable("The same call is being answered already. Wait for its answer.")
        self._asked[question] = replace(asked, result=busy)
        return asked

    def settle(self, question: str, asked: Asked, result: Json | CommonplaceError) -> None:
        """Keep what came of an answer."""
        done = replace(asked.wish, change={}, diff="")
        self._asked[question] = replace(asked, wish=done, result=result)

    def _held(self) -> int:
        texts = (each.wish.change.values() for each in self._asked.values())
        return sum(len(value) for values in texts for value in values if isinstance(value, str))
