"""A hostile agent: bounded, refused, shown truly. Each test has a control without its guard."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commonplace.agent.conversation import Conversation
from commonplace.agent.events import Event, Prompt, Question
from commonplace.agent.vault_workspace import VaultWorkspace
from tests.agent.conftest import Stage
from tests.agent.test_conversation import asked, entries, question
from tests.wait import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MESSAGE_MEGABYTES = int(os.environ.get("COMMONPLACE_MESSAGE_MEGABYTES", "12"))
OURS = {"title": "mcp__commonplace__edit", "kind": "other", "raw_input": {"file_path": "A.md"}}

LIKENESSES: list[Event] = [
    {**OURS, "title": "mcp__commonplace__format_disk"},
    {**OURS, "raw_input": {"command": "rm -rf ~"}},
    {"title": "mcp__commonplace__edit", "kind": "execute", "raw_input": {}},
    {"title": "Edit", "kind": "edit", "raw_input": {"file_path": "/notes/../x"}},
    {"title": "Edit", "kind": "edit", "locations": [{"path": "../../up.md"}]},
    {"title": "Edit with no place", "kind": "edit"},
    {
        "title": "Edit, with a forged diff",
        "kind": "edit",
        "locations": [{"path": "A.md"}],
        "content": [{"type": "diff", "path": "/etc/passwd", "oldText": "a", "newText": "b"}],
    },
]


@dataclass(frozen=True)
class Guards:
    """The guards as they are, or with one taken away: then what must hold does not."""

    patch: pytest.MonkeyPatch
    taken: bool

    def without(self, target: str, value: object) -> None:
        if self.taken:
            self.patch.setattr(target, value)

    @contextmanager
    def hold(self) -> Generator[None]:
        if self.taken:
            with pytest.raises(AssertionError):
                yield
        else:
            yield


@pytest.fixture(params=["guarded", "control"])
def guards(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Guards:
    return Guards(monkeypatch, request.param == "control")


async def first_question_or_end(talk: Conversation, turn: int = 1) -> Event | None:
    """Return what the agent asks, or nothing if it ends without having asked."""

    def found() -> list[Event | None]:
        waiting = [one for one in entries(talk, "question") if one["answer"] is None]
        return [*waiting, *([None] if len(entries(talk, "done")) >= turn else [])]

    return (await eventually(found, 120))[0]


async def test_an_endless_stream_is_ended(stage: Stage, guards: Guards):
    guards.patch.setattr("commonplace.agent.conversation.TURN_CHARS_MAX", 100_000)

    def never(*_: object) -> bool:
        return False

    guards.without("commonplace.agent.conversation.Conversation._is_too_much", never)
    stage.plays([["say", "bla " * 1_000, 200 if guards.taken else 10_000]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        await asked(talk)
        with guards.hold():
            assert sum(len(one["text"]) for one in entries(talk, "said")) < 110_000
            assert "too much" in entries(talk, "failed")[0]["text"]


async def test_a_huge_message_is_dropped_while_it_is_read(stage: Stage, guards: Guards):
    guards.without("commonplace.agent.messages.MessageLines.__init__.__defaults__", (2**40,))
    stage.plays([["say", "x" * 1_000_000 * MESSAGE_MEGABYTES], ["say", "still here"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        done = await asked(talk)
        with guards.hold():
            assert done["reason"] == "end_turn"
            assert [one["text"] for one in entries(talk, "said")] == ["still here"]


async def test_what_only_looks_harmless_is_asked(stage: Stage, guards: Guards):
    def silent(_: VaultWorkspace, question: Question) -> bool:
        return question.tool == "edit" or question.title.startswith("mcp__commonplace__")

    guards.without("commonplace.agent.vault_workspace.VaultWorkspace.is_silent", silent)
    stage.plays(*([["ask", call]] for call in LIKENESSES))
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        for number, _call in enumerate(LIKENESSES, 1):
            talk.ask(Prompt("go"))
            with guards.hold():
                found = await first_question_or_end(talk, number)
                assert found is not None
                talk.answer(found["id"], "no")
            await talk.finished()
        answer = "allow" if guards.taken else "reject"
        assert stage.results("ask") == [answer] * len(LIKENESSES)


async def test_calls_of_our_tools_and_edits_in_the_copy_are_not_asked_about(stage: Stage):
    inside = {"title": "Edit A", "kind": "edit", "locations": [{"path": "A.md"}]}
    stage.plays([["ask", OURS], ["ask", inside]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        await asked(talk)
        assert stage.results("ask") == ["allow", "allow"]
        assert entries(talk, "question") == []


@pytest.mark.parametrize("part", ["command", "diff"])
async def test_what_cannot_be_shown_whole_is_refused(stage: Stage, guards: Guards, part: str):
    long = "a" * 30_000
    call: Event = (
        {"title": "x", "kind": "execute", "raw_input": {"command": long}}
        if part == "command"
        else {
            "title": "x",
            "kind": "edit",
            "content": [{"type": "diff", "path": "/x", "oldText": "", "newText": long}],
        }
    )
    guards.without("commonplace.agent.updates.INPUT_CHARS_MAX", 10**9)

    def always(_: object) -> bool:
        return True

    guards.without("commonplace.agent.updates._are_whole", always)
    stage.plays([["ask", call]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("go"))
        with guards.hold():
            found = await first_question_or_end(talk)
            if found is not None:
                talk.answer(found["id"], "once")
            await talk.finished()
            assert stage.results("ask") == ["reject"]
            assert len(entries(talk, "refused")) == 1


async def test_invisible_characters_of_a_command_are_shown(stage: Stage, guards: Guards):
    guards.without("commonplace.agent.questions.visible", str)
    stage.plays([["shell", "echo \u202egood\u200b"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("go"))
        found = await question(talk)
        talk.answer(found["id"], "no")
        await talk.finished()
        with guards.hold():
            assert found["given"] == "echo <U+202E>good<U+200B>"


async def test_a_forged_diff_is_not_what_is_reviewed(stage: Stage, guards: Guards):
    """What a step claims to have changed is shown as its claim; the set holds what was saved.

    The control is one that saves what it claims: then the two agree.
    """
    claim = {"type": "diff", "path": "A.md", "oldText": "one\n", "newText": "harmless\n"}
    step = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit", "content": [claim]}
    (stage.notes / "A.md").write_text("one\n")
    saved = "harmless\n" if guards.taken else "forged\n"
    stage.plays([["update", step], ["save", "A.md", saved]])
    async with stage.opened() as (agents, served):
        talk = await agents.begin("stand-in")
        done = await asked(talk)
        assert entries(talk, "step")[0]["diffs"][0]["new"] == "harmless\n"
        [one] = await served.vault.pending.listed()
        assert (one.old, one.new) == ("one", saved.strip())
        assert {each.path for each in served.vault.sets.kept.store.of_set(done["set"])} == {"A.md"}
        with guards.hold():
            assert one.new != "harmless"


async def test_files_outside_the_copy_and_terminals_are_refused(
    stage: Stage, guards: Guards, tmp_path: Path
):
    async def read(place: VaultWorkspace, path: str, *_: Any) -> str:
        return (place.notes / path).read_text()

    async def write(place: VaultWorkspace, path: str, text: str) -> None:
        (place.notes / path).write_text(text)

    guards.without("commonplace.agent.vault_workspace.VaultWorkspace.read_file", read)
    guards.without("commonplace.agent.vault_workspace.VaultWorkspace.write_file", write)
    secret = tmp_path / "secret.md"
    secret.write_text("secret\n")
    stage.plays(
        [
            ["read", str(secret)],
            ["read", "../../../../secret.md"],
            ["shell", f"ln -s {secret} Link.md"],
            ["read", "Link.md"],
            ["write", "Link.md", "gone"],
            ["write", str(secret), "gone"],
            ["write", "x.sh", "echo"],
            ["terminal", "id"],
        ]
    )
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("go"))
        talk.answer((await question(talk))["id"], "once")
        await talk.finished()
    assert all("refused" in result for result in stage.results("terminal"))
    for action in ("read", "write"):
        for result in stage.results(action):
            with guards.hold():
                assert "refused" in result, stage.log
    with guards.hold():
        assert secret.read_text() == "secret\n"
