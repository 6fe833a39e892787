"""Who answers an agent's questions: a rule, an earlier answer, or a person."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.agent import questions
from commonplace.agent.events import Event, Question
from commonplace.agent.questions import AgentQuestions, is_silent
from commonplace.agent.transcript import Transcript
from commonplace.errors import NotFound
from tests.wait import eventually

pytestmark = pytest.mark.anyio

EDIT = Question("1", "Edit", "edit", "", ("a.md",))
RUN = Question("1", "ls", "execute", "ls", runs=True)
OURS = Question("1", "mcp__notes__edit", "other", "{}")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Desk:
    """A conversation's questions, and what a person sees of them."""

    def __init__(self) -> None:
        self.entries: list[Event] = []
        self.kept = 0
        self.asked = AgentQuestions(Transcript(self.entries), lambda _: False, self._keep)

    async def _keep(self) -> None:
        self.kept += 1

    async def shown(self, count: int) -> list[Event]:
        await eventually(lambda: len(self.entries) == count)
        return self.entries


async def test_a_person_is_asked_and_what_they_say_is_shown() -> None:
    desk = Desk()
    asking = asyncio.create_task(desk.asked.permit(replace(RUN, given="echo \u202e")))
    (entry,) = await desk.shown(1)
    assert (entry["given"], entry["answer"]) == ("echo <U+202E>", None)
    desk.asked.answer(entry["id"], "once")
    desk.asked.answer(entry["id"], "no")  # the first answer counts
    assert (await asking, entry["answer"], desk.kept) == ("once", "once", 1)
    with pytest.raises(NotFound, match="answered already"):
        desk.asked.answer(entry["id"], "no")


async def test_an_answer_for_the_conversation_is_not_asked_for_again() -> None:
    desk = Desk()
    asking = asyncio.create_task(desk.asked.permit(RUN))
    desk.asked.answer((await desk.shown(1))[0]["id"], "conversation")
    assert await asking == "conversation"
    assert await desk.asked.permit(replace(RUN, step="2")) == "once"
    other = asyncio.create_task(desk.asked.permit(replace(RUN, given="rm")))
    assert len(await desk.shown(2)) == 2
    desk.asked.drop()
    assert (await other, desk.entries[1]["answer"]) == ("no", "no")


async def test_what_nobody_answers_is_answered_with_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "QUESTION_SECONDS_MAX", 0.0)
    desk = Desk()
    assert await desk.asked.permit(RUN) == "no"
    assert desk.entries[0]["answer"] == "no"


async def test_what_cannot_be_shown_and_what_is_too_much_is_refused() -> None:
    desk = Desk()
    assert await desk.asked.permit(replace(RUN, title="\u200bls", whole=False)) == "no"
    assert desk.entries == [
        {"n": 0, "kind": "refused", "title": "<U+200B>ls", "tool": "execute"},
    ]
    asking = [asyncio.create_task(desk.asked.permit(RUN)) for _ in range(16)]
    await desk.shown(17)
    assert await desk.asked.permit(RUN) == "no"
    assert desk.entries[-1]["kind"] == "refused"
    desk.asked.drop()
    assert set(await asyncio.gather(*asking)) == {"no"}


@pytest.mark.parametrize(
    ("question", "silent"),
    [
        (EDIT, True),
        (replace(EDIT, paths=("sub/../a.md", "new/b.md")), True),
        (replace(EDIT, tool="search", paths=(".",)), True),
        (OURS, True),
        (replace(OURS, title="mcp__notes__rm"), False),
        (replace(OURS, title="mcp__other__edit"), False),
        (replace(OURS, title="x mcp__notes__edit"), False),
        (replace(OURS, runs=True), False),
        (replace(OURS, whole=False), False),
        (RUN, False),
        (replace(EDIT, runs=True), False),
        (replace(EDIT, whole=False), False),
        (replace(EDIT, tool="fetch"), False),
        (replace(EDIT, paths=()), False),
        (replace(EDIT, paths=("a.md", "/etc/passwd")), False),
        (replace(EDIT, paths=("../a.md",)), False),
        (replace(EDIT, paths=("link/a.md",)), False),
        (replace(EDIT, paths=("a\0.md",)), False),
        (replace(EDIT, paths=("\ud800.md",)), False),
    ],
)
def test_only_what_stays_in_the_copy_or_is_ours_is_answered_unasked(
    tmp_path: Path, question: Question, silent: bool
) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/link").symlink_to(tmp_path)
    (tmp_path / "way").symlink_to(tmp_path / "copy")
    for folder in ("copy", "way"):
        assert is_silent(question, "notes", ("edit", "read"), tmp_path / folder) is silent
