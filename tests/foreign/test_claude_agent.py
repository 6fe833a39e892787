"""The real Claude Code through its adapter, with a scripted model, in a conversation of ours."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.agent.events import Event, Prompt
from commonplace.agent.settings import KNOWN
from commonplace.core import critic
from tests import node
from tests.agent.conftest import Stage
from tests.foreign.claude_code.client import program
from tests.foreign.claude_code.model import scripted
from tests.wait import eventually

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(
        "COMMONPLACE_RELEASE" not in os.environ, reason="takes long: run by `make release`"
    ),
]
ADAPTER = "node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"
PATIENCE = 240.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def install(stage: Stage, url: str) -> None:
    # The program itself is the one that other tests have: it is 230 MB, and need not come twice.
    adapter = node.installed(Path(__file__).parent / "claude_agent", "--omit=optional") / ADAPTER
    home = stage.folder / "home"
    home.mkdir()
    [known] = [one for one in KNOWN if one.name == "claude"]
    env = {
        **known.env,
        "CLAUDE_CODE_EXECUTABLE": program(),
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1",
        "IS_SANDBOX": "1",
    }
    words = ", ".join(f"{name} = {json.dumps(value)}" for name, value in env.items())
    command = json.dumps([str(node.node()), str(adapter)])
    stage.personal.write_text(f"[agents.claude]\ncommand = {command}\nenv = {{ {words} }}\n")


async def test_a_task_by_our_tools_its_own_and_its_shell_arrives_as_one_set(stage: Stage):
    for name in ("Ours", "Own", "Sed"):
        (stage.notes / f"{name}.md").write_text(f"{name} was here in may.\n")
    folder: list[Path] = []

    def calls() -> Iterator[tuple[str, dict[str, object]]]:
        own, edit = str(folder[0] / "Own.md"), {"old_string": "may", "new_string": "June"}
        yield "mcp__commonplace__read", {"file_path": "Ours.md"}
        yield "mcp__commonplace__edit", {"file_path": "Ours.md", **edit}
        yield "Read", {"file_path": own}
        yield "Edit", {"file_path": own, **edit}
        yield "Bash", {"command": "sed -i s/may/June/ Sed.md", "description": "Move it"}

    with scripted(calls()) as model:
        install(stage, model.url)
        async with stage.opened() as (agents, served):
            talk = await agents.begin("claude")
            folder.append(stage.folder / "state/agents" / talk.record.id / "notes")
            talk.ask(Prompt("Move all to June"))

            def questions() -> list[Event]:
                return [one for one in talk.record.entries if one["kind"] in ("question", "done")]

            [asked] = await eventually(questions, PATIENCE)
            assert asked["kind"] == "question", talk.record.entries
            assert asked["given"].startswith("sed -i s/may/June/ Sed.md")
            talk.answer(asked["id"], "once")
            await talk.finished()
            done = talk.record.entries[-1]
            assert done["reason"] == "end_turn", talk.record.entries
            for name in ("Ours", "Own", "Sed"):
                text = await served.vault.texts.marked(f"{name}.md")
                assert critic.base(text) == f"{name} was here in may.\n", (name, model.results)
                assert critic.accepted(text) == f"{name} was here in June.\n", model.results
            paths = {one.path for one in served.vault.sets.kept.store.of_set(done["set"])}
            assert paths == {"Ours.md", "Own.md", "Sed.md"}
