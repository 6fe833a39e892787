"""Clients that others wrote, whose person is asked before a note is written."""

import json
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests import node
from tests.foreign.test_foreign import inspect
from tests.server.processes import Process
from tests.wait import until

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CLIENTS = [("v1", "legacy"), ("v2", "legacy"), ("v2", "auto")]
DENIED = {"error": True, "text": "User denied permission"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


@pytest.fixture
def url(tmp_path: Path, folder: Path) -> Generator[str]:
    words = ("serve", str(folder), "--port", "0", "--json", "--state", str(tmp_path / "state"))
    with Process(sys.executable, "-m", "commonplace", *words) as server:
        yield json.loads(until(lambda: server.out)[0])["mcp"]


def visit(url: str, sdk: str, mode: str) -> dict[str, Any]:
    script = "".join((HERE / f"{name}.mjs").read_text("utf-8") for name in (f"ask_{sdk}", "ask"))
    arguments = ["--input-type=module", "-", url, mode]
    done = node.run(arguments, cwd=node.installed(HERE), seconds=60, text=script)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("sdk", "mode"), CLIENTS)
def test_a_javascript_client_asks_its_person(url: str, folder: Path, sdk: str, mode: str):
    seen = visit(url, sdk, mode)
    assert [params["message"] for params in seen["asked"]] == [
        f"js-{sdk} wants to create {name}.md (4 bytes, 1 word)\n\n@@ line 1 @@\n+new"
        for name in ("accepted", "declined", "cancelled", "refused")
    ]
    assert seen["asked"][0]["requestedSchema"]["properties"]["allow"]["enum"][-1] == "no"
    assert json.loads(seen["accepted"]["text"])["status"] == "created"
    assert [seen[name] for name in ("declined", "refused")] == [DENIED] * 2
    assert "on the page, under Approvals" in seen["cancelled"]["text"]
    assert "on the page, under Approvals" in seen["parked"]["text"]
    assert [file.name for file in folder.iterdir()] == ["accepted.md"]
    if mode == "auto":
        refused = ("Invalid or expired requestState", -32602)
        for name in ("tampered", "other"):
            error = seen[name]["error"]
            assert (error["message"], error["code"]) == refused
        replayed = seen["replayed"]["result"]["content"][0]["text"]
        assert replayed == seen["accepted"]["text"]
        assert seen["reversed"]["result"]["content"][0]["text"] == DENIED["text"]


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_gets_an_answer_that_it_can_show(url: str, folder: Path, era: str):
    flags = ("--protocol-era", era, "--method", "tools/call", "--tool-name", "create_note")
    words = ("--tool-arg", "path=new.md", "--tool-arg", "content=new")
    code, shown, complaints = inspect(url, *flags, *words)
    assert "approv" in shown + complaints or "denied" in shown + complaints, (code, shown)
    assert list(folder.iterdir()) == []


class Inspector:
    """The inspector's client that stays connected, so that a person can answer in between."""

    def __init__(self, folder: Path) -> None:
        (folder / "daemon").mkdir(mode=0o700)
        self._env = {
            "HOME": str(folder),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            "MCP_INSPECTOR_DAEMON_DIR": str(folder / "daemon"),
            "MCP_INSPECTOR_DAEMON_TOKEN": "of-this-test",
        }

    def do(self, *words: str) -> Any:
        arguments = [INSPECTOR, "--format", "json", "--connection", "ours", *words]
        done = node.run(arguments, cwd=node.installed(HERE), seconds=60, env=self._env)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def create(self, name: str, *answer: str) -> dict[str, Any]:
        """Ask for a note; give the person's answer to what is asked then."""
        arguments = (f"path:={name}.md", "content:=new")
        asked = self.do("tools/call", "create_note", *arguments)["elicitationPending"]
        assert asked["message"] == (
            f"inspector-cli wants to create {name}.md (3 bytes, 1 word)\n\n@@ line 1 @@\n+new"
        )
        return self.do("elicitation/respond", asked["elicitationId"], *answer)


INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js"


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_asks_its_person(tmp_path: Path, url: str, folder: Path, era: str) -> None:
    inspector = Inspector(tmp_path)
    inspector.do("connect", url, "--era", era)
    try:
        done = inspector.create("accepted", "allow:=once")
        refused = [
            inspector.create("declined", "--decline"),
            inspector.create("cancelled", "--cancel"),
        ]
    finally:
        inspector.do("daemon", "stop")
    assert json.loads(done["content"][0]["text"])["status"] == "created"
    declined, dismissed = (one["content"][0]["text"] for one in refused)
    assert declined == "User denied permission"
    assert "on the page, under Approvals" in dismissed
    assert [file.name for file in folder.iterdir()] == ["accepted.md"]
