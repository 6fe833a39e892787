"""What an agent tells in the protocol's own types, as events and questions of ours."""

from typing import Any

import pytest
from acp import schema

from commonplace.agent.events import EVENT_TITLE_CHARS_MAX, INPUT_CHARS_MAX, ITEMS_MAX, Event
from commonplace.agent.updates import MODES_MAX, event_of, mode_option, modes_of, question_of


def told(kind: str, /, **more: Any) -> Event | None:
    update = {"sessionUpdate": kind, **more}
    news = schema.SessionNotification.model_validate({"sessionId": "s", "update": update})
    return event_of(news.update)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


LINK = {"type": "resource_link", "name": "a", "uri": "file:///a"}
IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("kind", "content", "event"),
    [
        ("agent_message_chunk", text("日 😀"), {"kind": "said", "text": "日 😀"}),
        ("agent_message_chunk", text(""), {"kind": "said", "text": ""}),
        ("agent_thought_chunk", text("hm"), {"kind": "thought", "text": "hm"}),
        ("agent_message_chunk", LINK, {"kind": "said", "text": "[a](file:///a)"}),
        ("agent_message_chunk", IMAGE, {"kind": "said", "text": "(image)"}),
        ("user_message_chunk", text("what we said"), None),
    ],
)
def test_what_is_said_is_words(kind: str, content: Any, event: Event | None) -> None:
    assert told(kind, content=content) == event


def test_a_plan_is_bounded_and_none_is_no_plan() -> None:
    entry = {"content": "x" * 3_000, "status": "pending", "priority": "high"}
    plan = told("plan", entries=[entry] * (ITEMS_MAX + 1))
    assert plan is not None
    assert len(plan["entries"]) == ITEMS_MAX
    assert plan["entries"][0]["text"].endswith("… (1,000 more characters)")
    assert told("plan", entries=[]) is None


def test_a_step_that_is_silent_about_something_leaves_it_as_it_was() -> None:
    assert told("tool_call_update", toolCallId="t") == {"kind": "step", "id": "t"}
    assert told("tool_call_update", toolCallId="t", status="completed", locations=[]) == {
        "kind": "step",
        "id": "t",
        "status": "completed",
        "places": [],
    }


def test_a_step_tells_what_it_was_given_and_what_came_of_it() -> None:
    step = told(
        "tool_call",
        toolCallId="t",
        title="Run",
        kind="execute",
        rawInput={"command": "ls"},
        locations=[{"path": "/a", "line": 3}],
        content=[
            {"type": "content", "content": text("one")},
            {"type": "content", "content": IMAGE},
            {"type": "content", "content": text("two")},
            {"type": "diff", "path": "/a", "newText": "new"},
        ],
    )
    assert step is not None
    assert (step["title"], step["tool"], step["given"]) == ("Run", "execute", "ls")
    assert step["places"] == [{"path": "/a", "line": 3}]
    assert step["text"] == "one\ntwo"
    assert step["diffs"] == [{"path": "/a", "old": "", "new": "new"}]


def option(**more: Any) -> Any:
    given = {"type": "select", "id": "mode", "name": "Mode", "currentValue": "ask", **more}
    return schema.SessionConfigOptionSelect.model_validate(given)


VALUES = [{"value": "ask", "name": "Ask"}, {"value": "plan", "name": "Plan"}]


@pytest.mark.parametrize(
    "options", [VALUES, [{"group": "g", "name": "G", "options": VALUES}]], ids=["flat", "grouped"]
)
def test_modes_may_come_among_the_options(options: Any) -> None:
    mode = option(category="mode", options=options)
    assert mode_option([option(options=VALUES), mode]) is mode
    assert modes_of(None, [mode]) == {
        "kind": "modes",
        "current": "ask",
        "offered": [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}],
    }


def test_modes_are_bounded_and_there_may_be_none() -> None:
    many = [{"id": f"m{n}", "name": "x"} for n in range(MODES_MAX + 1)]
    state = schema.SessionModeState.model_validate({"currentModeId": "m0", "availableModes": many})
    found = modes_of(state, None)
    assert found is not None
    assert len(found["offered"]) == MODES_MAX
    assert modes_of(None, None) is None
    assert modes_of(None, [option(options=VALUES)]) is None
    assert told("current_mode_update", currentModeId="plan") == {"kind": "modes", "current": "plan"}


def test_commands_are_offered_by_name() -> None:
    many = [{"name": "n" * 200, "description": "d"}] * (ITEMS_MAX + 1)
    found = told("available_commands_update", availableCommands=many)
    assert found is not None
    assert len(found["offered"]) == ITEMS_MAX
    assert found["offered"][0]["name"].startswith("n" * 100 + "…")


def asked(**call: Any) -> Any:
    return question_of(schema.ToolCallUpdate.model_validate({"toolCallId": "t", **call}))


def diff(new: str, path: str = "/a") -> dict[str, Any]:
    return {"type": "diff", "path": path, "newText": new}


@pytest.mark.parametrize(
    ("call", "runs"),
    [
        ({"kind": "execute"}, True),
        ({"kind": "other", "rawInput": {"command": "ls"}}, True),
        ({"rawInput": {"script": "x"}}, True),
        ({"kind": "edit", "rawInput": {"path": "/a"}}, False),
        ({"kind": "edit", "rawInput": ["command"]}, False),
        ({}, False),
    ],
)
def test_it_runs_a_program_by_what_it_says_or_is_given(call: Any, runs: bool) -> None:
    assert asked(**call).runs is runs


@pytest.mark.parametrize(
    ("call", "whole"),
    [
        ({}, True),
        ({"title": "t" * EVENT_TITLE_CHARS_MAX}, True),
        ({"title": "t" * (EVENT_TITLE_CHARS_MAX + 1)}, False),
        ({"rawInput": {"command": "c" * INPUT_CHARS_MAX}}, True),
        ({"rawInput": {"command": "c" * (INPUT_CHARS_MAX + 1)}}, False),
        ({"content": [diff("x" * 20_000)]}, True),
        ({"content": [diff("x" * 20_001)]}, False),
        ({"content": [{**diff("x"), "oldText": "x" * 20_001}]}, False),
        ({"content": [diff("x")] * (ITEMS_MAX + 1)}, False),
    ],
)
def test_it_is_whole_if_all_of_it_can_be_shown(call: Any, whole: bool) -> None:
    assert asked(**call).whole is whole


def test_every_file_that_it_names_is_found_once() -> None:
    found = asked(
        locations=[{"path": "/a"}, {"path": "/b"}],
        content=[diff("x", "/c"), {"type": "content", "content": text("/no")}],
        rawInput={"file_path": "/a", "path": "/d", "abs_path": 5, "content": "/no"},
    )
    assert found.paths == ("/a", "/b", "/c", "/d")
    assert asked(rawInput={"filePath": "/e"}).paths == ("/e",)
