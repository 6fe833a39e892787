import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.tools.definition import ALWAYS_LOAD_KEY
from commonplace.tools.families import always_loaded
from commonplace.tools.table import (
    Actor,
    Answer,
    Call,
    Tool,
    Toolbox,
    UnknownTool,
    definition,
)
from tests.tools.test_definition import meta

READ = definition("read")
CALL = Call(Actor("a", "Ada"))


async def echo(_: Call, arguments: Mapping[str, object]) -> Answer:
    return Answer(json.dumps(arguments))


def tool(name: str = "read", family: str = "files", run: Any = echo, **more: Any) -> Tool:
    return Tool(definition(name), family, writes=name == "edit", run=run, **more)


def box(*tools: Tool, **more: Any) -> Toolbox:
    return Toolbox(tools, **more)


def ask(toolbox: Toolbox, name: str = "read", **arguments: object) -> Answer:
    return anyio.run(toolbox.call, name, arguments, CALL)


def test_the_tools_of_most_tasks_are_marked_to_be_loaded_at_once() -> None:
    offered = box(tool("read"), tool("search", "graph")).definitions()
    assert [meta(each)[ALWAYS_LOAD_KEY] for each in offered] == [True, False]
    plain = {key: value for key, value in offered[0].published.items() if key != "_meta"}
    assert plain == {k: v for k, v in definition("read").published.items() if k != "_meta"}


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        ("none", []),
        ("graph", ["search"]),
        ("graph, read", ["read", "search"]),
        ("all", ["read", "search"]),
    ],
)
def test_a_person_chooses_what_is_loaded_at_once(words: str, loaded: list[str]) -> None:
    chosen = always_loaded(words.split(","), "--always-load")
    offered = box(tool("read"), tool("search", "graph"), always_load=chosen).definitions()
    assert [each.name for each in offered if meta(each)[ALWAYS_LOAD_KEY]] == loaded


def test_tools_keep_the_order_they_were_given_in() -> None:
    toolbox = box(tool("grep"), tool("read"), tool("edit"))
    assert [d.name for d in toolbox.definitions()] == ["grep", "read", "edit"]


def test_a_read_only_box_has_no_tool_that_writes() -> None:
    assert [t.name for t in box(tool("read"), tool("edit"), read_only=True).tools] == ["read"]


def test_a_box_holds_only_the_families_asked_for() -> None:
    assert box(tool("read"), families=("notes",)).tools == ()


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(BadArgument, match=r"Unknown tool family `web`\. Choose from: files, notes"):
        box(tool("read"), families=("files", "web"))


def test_an_unknown_tool_is_not_answered_but_raised() -> None:
    with pytest.raises(UnknownTool, match=r"Unknown tool: rm\. This server offers: read\."):
        ask(box(tool("read")), "rm")


def test_a_mistake_is_answered_in_the_words_of_the_family() -> None:
    async def lost(_: Call, __: Mapping[str, object]) -> Answer:
        raise NotFound("Document not found: x.md")

    def coded(error: CommonplaceError) -> str:
        return json.dumps({"error": {"code": "NODE_NOT_FOUND", "message": str(error)}})

    plain = ask(box(tool(run=lost)), file_path="x.md")
    graph = ask(box(tool(run=lost, error_text=coded)), file_path="x.md")
    assert plain == Answer("Error: Document not found: x.md", is_error=True)
    assert json.loads(graph.text)["error"]["message"] == "Document not found: x.md"


def test_a_bug_is_logged_and_nothing_of_it_leaks(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(_: Call, __: Mapping[str, object]) -> Answer:
        raise KeyError("/home/ada/secret")

    with caplog.at_level(logging.ERROR):
        answer = ask(box(tool(run=broken)), file_path="x.md")
    assert answer == Answer(
        "Internal error in tool read; the server's log has the details.", is_error=True
    )
    assert "/home/ada/secret" in caplog.text
    assert "Traceback" in caplog.text


def test_a_call_that_takes_too_long_is_stopped() -> None:
    stopped: list[bool] = []

    async def forever(_: Call, __: Mapping[str, object]) -> Answer:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(True)
        return Answer("never")

    answer = ask(box(tool(run=forever), seconds_max=0.01), file_path="x.md")
    assert answer.is_error
    assert answer.text.startswith("Error: `read` took longer than 0.01 seconds and was stopped.")
    assert stopped == [True]


def test_a_time_limit_of_the_tool_itself_is_a_bug_not_ours() -> None:
    async def impatient(_: Call, __: Mapping[str, object]) -> Answer:
        with anyio.fail_after(0.001):
            await anyio.sleep_forever()
        return Answer("never")

    answer = ask(box(tool(run=impatient)), file_path="x.md")
    assert answer.text.startswith("Internal error in tool read")


def test_the_tool_learns_who_calls_and_can_report_progress() -> None:
    told: list[float] = []

    async def progress(
        progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        told.append(progress)

    async def who(call: Call, _: Mapping[str, object]) -> Answer:
        await call.progress(1, 2, "half")
        return Answer(call.actor.name)

    call = Call(Actor("a", "Ada"), progress)
    toolbox = box(tool(run=who))
    assert anyio.run(toolbox.call, "read", {"file_path": "x"}, call).text == "Ada"
    assert told == [1]


def test_the_table_needs_no_protocol_and_no_validator_to_be_listed() -> None:
    code = (
        "import sys; from commonplace.tools.table import Toolbox, Tool, definition\n"
        "Toolbox([Tool(definition('read'), 'files', False, None)]).definitions()\n"
        "sys.exit(', '.join({'mcp', 'starlette', 'jsonschema'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
