"""Conversations with a scripted agent, in a process of its own, over a real vault."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from commonplace.agent.conversation import Conversation
from commonplace.agent.events import Event, Prompt
from commonplace.core import critic
from commonplace.errors import BadArgument, NotFound
from tests.agent.conftest import Stage
from tests.wait import eventually

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def entries(conversation: Conversation, *kinds: str) -> list[Event]:
    return [one for one in conversation.record.entries if one["kind"] in kinds]


async def asked(conversation: Conversation, text: str = "go", **more: Any) -> Event:
    conversation.ask(Prompt(text, **more))
    await conversation.finished()
    return conversation.record.entries[-1]


def has_said(conversation: Conversation, words: str) -> bool:
    return any(one["text"] == words for one in entries(conversation, "said"))


async def question(conversation: Conversation) -> Event:
    def waiting() -> list[Event]:
        return [one for one in entries(conversation, "question") if one["answer"] is None]

    return (await eventually(waiting, 120))[0]


async def test_one_prompt_is_one_set_whatever_tool_the_agent_writes_with(stage: Stage):
    for name in ("Ours", "Own", "Sed", "Fs", "Old"):
        (stage.notes / f"{name}.md").write_text(f"{name} was here in may.\n")
    run = "sed -i s/may/June/ Sed.md && mv Old.md Other.md"
    stage.plays(
        [
            ["think", "let me see"],
            ["say", "I will "],
            ["say", "do it."],
            ["tool", "read", {"file_path": "Ours.md"}],
            ["tool", "edit", {"file_path": "Ours.md", "old_string": "may", "new_string": "June"}],
            ["save", "Own.md", "Own was here in June.\n"],
            ["shell", run],
            ["read", "Fs.md"],
            ["write", "Fs.md", "Fs was here in June.\n"],
            ["save", "New.md", "# New\n"],
        ]
    )
    async with stage.opened() as (agents, served):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("Move it to June", notes=("Ours.md",), selection="may"))
        found = await question(talk)
        assert (found["title"], found["given"], found["runs"]) == (run, run, True)
        talk.answer(found["id"], "once")
        await talk.finished()
        done = talk.record.entries[-1]
        assert done["reason"] == "end_turn", talk.record.entries
        assert [one["text"] for one in entries(talk, "said")] == ["I will do it."]
        for name in ("Ours", "Own", "Sed", "Fs"):
            text = await served.vault.texts.marked(f"{name}.md")
            assert critic.base(text) == f"{name} was here in may.\n"
            assert critic.accepted(text) == f"{name} was here in June.\n"
        assert await served.vault.texts.marked("New.md") == "{++# New\n++}"
        kept = await served.vault.sets.kept.get(done["set"])
        assert (kept.title, kept.conversation, kept.said_ready) == (
            "Move it to June",
            talk.record.id,
            True,
        )
        paths = {write.path for write in served.vault.sets.kept.store.of_set(kept.number)}
        assert paths == {"Ours.md", "Own.md", "Sed.md", "Fs.md", "New.md", "Old.md"}
        [waiting] = await served.vault.permissions.waiting()
        assert (waiting.operation, waiting.change["to"]) == ("rename", "Other.md")
        assert {one.author for one in await served.vault.pending.listed()} == {"stand-in"}
        [token] = [one for one in served.vault.tokens.listed() if one.revoked is None]
        assert (token.name, token.scope) == ("stand-in", "suggest")
        prompted = next(each["prompt"] for each in stage.log if "prompt" in each)
        assert [block["type"] for block in prompted] == ["text", "resource_link", "text"]
        assert not any("COMMONPLACE" in name for name in stage.log[0]["env"])
        await agents.delete(talk.record.id)
        assert not any(one.revoked is None for one in served.vault.tokens.listed())
        assert await agents.listed() == []


async def test_a_turn_without_a_write_makes_no_set_and_the_next_has_its_own(stage: Stage):
    (stage.notes / "A.md").write_text("one\n")
    stage.plays([["say", "hello"]], [["save", "A.md", "two\n"]])
    async with stage.opened() as (agents, served):
        talk = await agents.begin("stand-in")
        assert (await asked(talk))["set"] is None
        number = (await asked(talk, "second"))["set"]
        assert (await served.vault.sets.kept.get(number)).title == "second"


async def test_the_answer_no_and_an_answer_for_the_conversation(stage: Stage):
    call = {"title": "Fetch page", "kind": "fetch", "raw_input": {"url": "http://x"}}
    stage.plays([["shell", "touch ran"], ["ask", call], ["ask", call], ["shell", "touch ran"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("go"))
        for choice in ("no", "conversation", "once"):
            talk.answer((await question(talk))["id"], choice)
        await talk.finished()
        assert stage.results("shell") == [-1, 0]
        assert stage.results("ask") == ["allow", "allow"]
        with pytest.raises(NotFound):
            talk.answer(entries(talk, "question")[0]["id"], "once")


async def test_a_crash_is_told_and_the_next_prompt_takes_the_session_up_again(stage: Stage):
    (stage.notes / "A.md").write_text("one\n")
    stage.plays([["say", "hm"]], [["save", "A.md", "two\n"], ["crash"]], [["say", "back"]])
    async with stage.opened() as (agents, served):
        talk = await agents.begin("stand-in")
        await asked(talk)
        done = await asked(talk)
        assert (done["reason"], talk.state) == ("failed", "failed")
        assert "out of cheese" in entries(talk, "failed")[0]["text"]
        assert await served.vault.texts.marked("A.md") == "{--one--}{++two++}\n"
        assert done["set"] is not None
        assert (await asked(talk))["reason"] == "end_turn"
        assert entries(talk, "said")[-1]["text"] == "back"
        assert [each["load"] for each in stage.log if "load" in each] == [talk.record.session]


async def test_a_conversation_is_taken_up_again_after_a_restart(stage: Stage):
    stage.plays([["say", "first"]], [["say", "second"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        await asked(talk, "question one")
    async with stage.opened() as (agents, served):
        [found] = await agents.listed("QUESTION ONE")
        talk = await agents.get(found.id)
        await asked(talk)
        assert [one["text"] for one in entries(talk, "said")] == ["first", "second"]
        assert sum("load" in each for each in stage.log) == 1
        assert len([one for one in served.vault.tokens.listed() if one.revoked is None]) == 1
        assert await agents.listed("never said") == []


async def test_nothing_of_a_turn_that_ended_is_at_work_or_unanswered(stage: Stage):
    step = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Wait", "status": "pending"}
    stage.plays([["update", step], ["shell", "touch ran"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("go"))
        await question(talk)
        assert entries(talk, "step")[0]["status"] == "pending"
        # What is on the disk now is what a killed owner leaves.
        left = json.loads(json.dumps(asdict(talk.record)))
        await talk.stop()
        assert entries(talk, "step")[0]["status"] == "stopped"
        file = stage.folder / "state/agents" / talk.record.id / "conversation.json"
    file.write_text(json.dumps(left))
    async with stage.opened() as (agents, _):
        talk = await agents.get(talk.record.id)
        assert entries(talk, "step")[0]["status"] == "stopped"
        assert entries(talk, "question")[0]["answer"] == "no"
        assert entries(talk, "done")[-1]["reason"] == "stopped"
        assert (await asked(talk, "again"))["reason"] == "end_turn"


async def test_stop_ends_a_turn_and_one_that_does_not_listen_is_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("commonplace.agent.conversation.STOP_SECONDS_MAX", 0.5)
    stage.plays([["say", "at it"], ["wait_for_cancel"]], [["say", "deaf"], ["hang"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        for reason, words in (("cancelled", "at it"), ("stopped", "deaf")):
            talk.ask(Prompt("go"))
            await eventually(lambda words=words: has_said(talk, words), 120)
            await talk.stop()
            assert talk.record.entries[-1]["reason"] == reason
        assert talk.state == "resting"
        assert not talk.runs


async def test_nonsense_is_ignored_and_what_is_too_long_is_dropped(stage: Stage):
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    stage.plays(
        [
            ["update", {"sessionUpdate": "from_the_future", "x": 1}],
            ["update", {"sessionUpdate": "agent_message_chunk"}],
            ["update", {"sessionUpdate": "plan", "entries": deep}],
            ["send", {"method": "unheard/of", "params": {}}],
            ["send", {"method": "unheard/of", "id": 99}],
            ["send", {"method": 5, "id": [1]}],
            ["send", {"id": 12345, "result": {}}],
            ["send", {"id": 0, "error": "no object"}],
            ["send", [1, 2]],
            ["send_text", "not json", 1],
            ["send_text", "x" * 1_000, 20_000],
            [
                "send",
                {
                    "method": "session/request_permission",
                    "id": 7,
                    "params": {"_meta": {"tool_call": 1}},
                },
            ],
            ["say", "still here"],
        ]
    )
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        assert (await asked(talk))["reason"] == "end_turn"
        assert [one["kind"] for one in talk.record.entries] == ["asked", "said", "done"]


async def test_another_version_of_the_protocol_is_told(stage: Stage):
    stage.plays({"version": 2})
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        assert (await asked(talk))["reason"] == "failed"
        assert "version 2 of the protocol" in entries(talk, "failed")[0]["text"]


async def test_a_command_that_is_not_there_and_an_agent_that_nobody_named_are_told(stage: Stage):
    stage.personal.write_text('[agents.none]\ncommand = ["/nowhere/agent"]\n')
    async with stage.opened() as (agents, _):
        talk = await agents.begin("none")
        assert (await asked(talk))["reason"] == "failed"
        assert "cannot be started" in entries(talk, "failed")[0]["text"]
        with pytest.raises(NotFound, match="commonplace agents"):
            await agents.begin("stand-in")
        with pytest.raises(BadArgument):
            talk.ask(Prompt(" "))


async def test_no_process_outlives_the_vault(stage: Stage):
    stage.plays([["shell", "sleep 1000 & echo $! > pid"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        talk.ask(Prompt("go"))
        talk.answer((await question(talk))["id"], "once")
        await talk.finished()
        pid = int((stage.folder / "state/agents" / talk.record.id / "notes/pid").read_text())
        os.kill(pid, 0)

    def is_gone() -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
        except OSError:
            return True

    await eventually(is_gone)


async def test_an_agent_that_wants_a_sign_in_is_told_how(stage: Stage):
    stage.plays({"auth": ["Log in with Example"]})
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        assert (await asked(talk))["reason"] == "failed"
        assert "Sign in first (Log in with Example)" in entries(talk, "failed")[0]["text"]
        assert talk.about["sign_in"] == ["Log in with Example"]


@pytest.mark.parametrize("able", [True, False])
async def test_a_picture_goes_along_or_it_is_said_that_it_does_not(stage: Stage, able: bool):
    stage.plays({"image": able}, [["say", "seen"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        await asked(talk, "look", image="aGk=", image_type="image/png")
        [prompted] = [each["prompt"] for each in stage.log if "prompt" in each]
        assert [one["type"] for one in prompted] == (["text", "image"] if able else ["text"])
        said = [one["path"] for one in entries(talk, "trouble")]
        assert said == ([] if able else ["The picture"])
        assert talk.about["pictures"] is able


async def test_modes_that_come_as_options_are_offered_and_chosen(stage: Stage):
    stage.plays({"options": True}, [["say", "here"]])
    async with stage.opened() as (agents, _):
        talk = await agents.begin("stand-in")
        assert talk.about["pictures"] is None
        await asked(talk)
        offered = [{"id": "build", "name": "Build"}, {"id": "plan", "name": "Plan"}]
        assert talk.about["modes"] == {"current": "build", "offered": offered}
        await talk.set_mode("plan")
        assert talk.about["modes"]["current"] == "plan"
        [chosen] = [each for each in stage.log if "option" in each]
        assert chosen == {"option": "way", "value": "plan"}
