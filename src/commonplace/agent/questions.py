"""Who answers an agent's questions: a rule, an earlier answer, or a person.

No person is needed for calls of our own tools, and for edits in the agent's own copy. The rule goes
by what the question says of itself, so it must not be met by words that a note could have put
there: a shell command is shown as a question's title, whatever the command is.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

from commonplace.agent.events import Choice, Event, Question
from commonplace.agent.transcript import Transcript
from commonplace.core.text.invisible import visible
from commonplace.errors import NotFound

_QUESTIONS_MAX = 16
QUESTION_SECONDS_MAX = 1_800.0
_OF_FILES = ("read", "edit", "delete", "move", "search")


class AgentQuestions:
    """The questions of a conversation: which wait for a person, and which answers hold for more."""

    def __init__(
        self,
        said: Transcript,
        is_silent: Callable[[Question], bool],
        keep: Callable[[], Awaitable[None]],
    ) -> None:
        """Take where questions are shown, the rule, and who saves the conversation."""
        self._said, self._is_silent, self._keep = said, is_silent, keep
        self._waiting: dict[str, tuple[Event, asyncio.Future[Choice]]] = {}
        self._remembered: set[str] = set()

    async def permit(self, question: Question) -> Choice:
        """Answer whether the agent may: by a rule, an earlier answer, or a person."""
        if self._is_silent(question) or question.key in self._remembered:
            return "once"
        if not question.whole or len(self._waiting) >= _QUESTIONS_MAX:
            self._said.add(
                {"kind": "refused", "title": visible(question.title), "tool": question.tool}
            )
            return "no"
        return await self._put(question)

    def answer(self, id: str, choice: Choice) -> None:
        """Answer a question that waits for a person."""
        if id not in self._waiting:
            raise NotFound("That question is answered already, or was never asked.")
        entry, waiting = self._waiting[id]
        if not waiting.done():
            waiting.set_result(choice)
            self._said.change(entry, answer=choice)

    def drop(self) -> None:
        """Answer all that wait with no."""
        for entry, waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result("no")
                self._said.change(entry, answer="no")

    async def _put(self, question: Question) -> Choice:
        """Put a question to a person; one that nobody answers is answered with no."""
        id = secrets.token_hex(8)
        entry = self._said.add({"kind": "question", "id": id, **_shown(question), "answer": None})
        waiting: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()
        self._waiting[id] = entry, waiting
        await self._keep()
        try:
            async with asyncio.timeout(QUESTION_SECONDS_MAX):
                choice = await waiting
        except TimeoutError:
            choice = "no"
            self._said.change(entry, answer="no")
        finally:
            del self._waiting[id]
        if choice == "conversation":
            self._remembered.add(question.key)
        return choice


def _shown(question: Question) -> Event:
    """Return what a person sees of a question, nothing in it invisible."""
    return {
        "title": visible(question.title),
        "tool": question.tool,
        "runs": question.runs,
        "given": visible(question.given),
        "paths": [visible(path) for path in question.paths],
        "diffs": [{key: visible(text) for key, text in each.items()} for each in question.diffs],
    }


def is_silent(question: Question, server: str, tools: Collection[str], folder: Path) -> bool:
    """Tell whether a question is answered with yes without asking anybody."""
    if question.runs or not question.whole:
        return False
    if question.tool == "other":
        prefix, _, name = question.title.rpartition("__")
        return prefix == f"mcp__{server}" and name in tools
    return question.tool in _OF_FILES and _all_inside(question.paths, folder)


def _all_inside(paths: Collection[str], folder: Path) -> bool:
    top = Path(os.path.realpath(folder))
    try:
        return bool(paths) and all(
            Path(os.path.realpath(top / path)).is_relative_to(top) for path in paths
        )
    except ValueError:  # what can be the name of nothing: a NUL, or half a character
        return False
