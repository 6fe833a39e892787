"""Clients that others wrote, in another language, against our server over HTTP."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from commonplace.server.mcp.server import build
from commonplace.tools.table import Answer, Definition, Tool, Toolbox, definition
from tests import node
from tests.server.http_server import serving
from tests.server.small_vault import NOTES, Shelf, app_on, toolbox

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
CLIENTS = [
    ("v1", "legacy", "2025-11-25"),
    ("v2", "legacy", "2025-11-25"),
    ("v2", "auto", "2026-07-28"),
]


async def unused(_: Any, __: Any) -> Answer:
    raise NotImplementedError


def every_tool(shelf: Shelf) -> Toolbox:
    """All definitions there are; those that a shelf cannot serve are there to be listed."""
    real = {tool.name: tool for tool in toolbox(shelf).tools}
    names = sorted(
        file.stem for file in HERE.parents[1].glob("src/commonplace/tools/definitions/*")
    )
    listed = [Tool(definition(n), "files", writes=False, run=unused) for n in names]
    return Toolbox([real.get(tool.name, tool) for tool in listed])


@pytest.fixture(scope="module")
def url() -> Generator[str]:
    shelf = Shelf()
    server = build(every_tool(shelf), shelf, version="1")
    with serving(app_on(server)) as url:
        yield f"{url}/mcp"


@pytest.mark.parametrize(("sdk", "mode", "protocol"), CLIENTS)
def test_a_javascript_client_gets_everything_it_asks_for(
    url: str, sdk: str, mode: str, protocol: str
) -> None:
    script = "".join((HERE / f"{name}.mjs").read_text("utf-8") for name in (sdk, "visit"))
    arguments = ["--input-type=module", "-", url, mode]
    done = node.run(arguments, cwd=node.installed(HERE), seconds=60, text=script)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["protocol"] == protocol
    assert (seen["server"]["name"], seen["server"]["version"]) == ("commonplace", "1")
    assert seen["instructions"].startswith("Commonplace serves a folder")
    assert seen["tools"] == [d.published for d in every_tool(Shelf()).definitions()]
    assert seen["read"]["content"] == [{"type": "text", "text": "# Clover\n"}]
    assert "structuredContent" not in seen["read"]
    wrong = 'Error: `offset` must be a number, got the text "abc".'
    assert (seen["wrong"]["isError"], seen["wrong"]["content"][0]["text"]) == (True, wrong)
    assert f"js-{sdk}" in seen["who"]["content"][0]["text"]
    assert (seen["unknown"]["code"], "Unknown tool: rm" in seen["unknown"]["message"]) == (
        -32602,
        True,
    )
    assert seen["resources"] == sorted(NOTES)
    assert seen["templates"][0]["uriTemplate"] == "note:///{+path}"
    assert seen["resource"]["contents"][0]["text"] == NOTES["日記/あ 😀.md"]
    # Version 2 knows the older code, and reports the newer one instead.
    assert seen["missing"]["code"] == {"v1": -32002, "v2": -32602}[sdk]
    assert "Document not found: no.md" in seen["missing"]["message"]
    assert seen["completion"]["completion"]["values"] == ["Garden/Bees.md"]
    assert seen["notice"] == "note:///Garden/Bees.md"


def inspect(url: str, *arguments: str) -> tuple[int, str, str]:
    arguments = (INSPECTOR, "--cli", url, "--transport", "http", *arguments)
    done = node.run(arguments, cwd=node.installed(HERE), seconds=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_nothing_wrong_with_the_tools(url: str, era: str) -> None:
    flags = ("--protocol-era", era, "--method", "tools/list", "--strict")
    code, listed, complaints = inspect(url, *flags)
    # What may be left out may be null too: so the contract has it, and all clients in use take it.
    issues = [line for line in complaints.splitlines() if line.strip().startswith("Issue:")]
    assert [issue for issue in issues if "`type` is an array" not in issue] == []
    assert code == 0
    assert json.loads(listed)["tools"] == [d.published for d in every_tool(Shelf()).definitions()]


def test_the_inspector_would_find_a_schema_that_not_every_client_understands() -> None:
    schema = {"type": "object", "properties": {"anything": True}}
    odd = Definition({"name": "odd", "description": "Odd", "inputSchema": schema})
    tools = Toolbox([Tool(odd, "files", writes=False, run=unused)])
    with serving(app_on(build(tools, Shelf(), version="1"))) as url:
        _, _, complaints = inspect(f"{url}/mcp", "--method", "tools/list", "--strict")
    assert 'tool "odd"' in complaints


def test_the_inspector_calls_a_tool(url: str) -> None:
    which = ("--tool-name", "read", "--tool-arg", "file_path=Garden/Clover.md")
    code, answer, _ = inspect(url, "--method", "tools/call", *which)
    assert code == 0
    assert json.loads(answer)["content"] == [{"type": "text", "text": "# Clover\n"}]
