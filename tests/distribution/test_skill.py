"""The plugin's skill tells the truth: what it quotes is answered, what it names is offered."""

import json
import re
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from commonplace.tools.families import FAMILY_TOOLS
from tests.distribution.test_guide import said

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

SKILL = (Path(__file__).parents[2] / "plugin/skills/shared-vault/SKILL.md").read_text("utf-8")
TOOLS = {name for names in FAMILY_TOOLS.values() for name in names}
PLAN = "# Plan\n\nSow the clover in may. {==Water==}{>>how often?<<} it.\n"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Plan.md").write_text(PLAN)
    return tmp_path / "notes"


def assistant(notes: Path) -> Client:
    """Let an assistant work through the real program; nobody is there to be asked."""
    words = ["mcp", str(notes), "--state", str(notes.parent / "state"), "--embeddings", "none"]
    server = StdioServerParameters(command=sys.executable, args=["-m", "commonplace", *words])
    return Client(stdio_client(server))


def part(heading: str) -> str:
    """Return what the skill says under a heading."""
    return SKILL.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_it_names_tools_that_there_are_and_words_of_their_arguments() -> None:
    named = set(re.findall(r"`([a-z_]+)`", SKILL))
    words = {"old_string", "title", "why"}
    assert named - words <= TOOLS
    assert {"read", "edit", "describe_changes", "withdraw_changes", "create_note"} <= named


async def test_comments_are_shown_as_it_says_and_cannot_be_written(notes: Path) -> None:
    async with assistant(notes) as claude:
        shown = said(await claude.call_tool("read", {"file_path": "Plan.md"}))
        found = said(await claude.call_tool("grep", {"pattern": "how", "output_mode": "content"}))
        own = {"file_path": "Plan.md", "old_string": "may", "new_string": "May{>>as asked<<}"}
        refused = await claude.call_tool("edit", own)
    (header,) = re.findall(r"`(\[\w+\])`", part("Comments"))
    assert f'{header}\n  L3: "how often?"' in shown
    assert "`{>>…<<}`" in part("Comments")
    assert "{>>how often?<<}" in found
    assert refused.is_error
    assert (notes / "Plan.md").read_text() == PLAN


async def test_what_it_says_of_sets_and_parked_writes_is_answered(notes: Path) -> None:
    async with assistant(notes) as claude:
        await claude.call_tool("read", {"file_path": "Plan.md"})
        may = {"file_path": "Plan.md", "old_string": "may", "new_string": "May"}
        edited = await claude.call_tool("edit", may)
        wish = {"path": "Diary.md", "content": "Sown."}
        parked = await claude.call_tool("create_note", wish)
        named = await claude.call_tool("describe_changes", {"title": "Case", "ready": True})
        back = await claude.call_tool("withdraw_changes", {})
    every = "\n".join(block.text for block in edited.content if block.type == "text")
    (quoted,) = re.findall(r'"(Part of set) 4\. …"', part("Describe the set"))
    assert f"{quoted} 1. " in every
    begun, ended = re.findall(r'"(.+?) … (.+?) 3"', part("When a write waits"))[0]
    assert begun in said(parked)
    assert f"{ended} 1." in said(parked)
    assert said(named).startswith("Set 1 is ready for review.")
    assert said(back).startswith("Plan.md: 1 withdrawn\nTaken back before anybody decided: create")
    assert (notes / "Plan.md").read_text() == PLAN


def test_it_is_the_plugins_only_one_and_the_plugin_starts_our_server() -> None:
    plugin = Path(__file__).parents[2] / "plugin"
    assert [each.parent.name for each in plugin.rglob("SKILL.md")] == ["shared-vault"]
    about = json.loads((plugin / ".claude-plugin/plugin.json").read_text())
    assert about["mcpServers"]["notes"]["args"] == ["mcp", "${user_config.vault}"]
    for heading in ("Read before you edit", "Small edits", "Describe the set"):
        assert part(heading)
    for heading in ("When a write waits", "Comments"):
        assert part(heading)
