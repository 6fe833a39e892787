"""The real opencode, with a scripted model, in a conversation of ours (at release)."""

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.agent.events import Event, Prompt
from commonplace.agent.settings import KNOWN
from commonplace.core import critic
from tests import node
from tests.agent.conftest import Stage
from tests.foreign.claude_code.model import scripted
from tests.wait import eventually

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.skipif(
        "COMMONPLACE_RELEASE" not in os.environ, reason="takes long: run by `make release`"
    ),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the lock has no other program"),
]
PATIENCE = 240.0
PROGRAM = "node_modules/opencode-linux-x64/bin/opencode"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def install(stage: Stage, url: str) -> None:
    """Name it as `commonplace agents` says, with a model of ours behind it."""
    program = node.installed(Path(__file__).parent / "opencode_agent") / PROGRAM
    program.chmod(0o755)
    [known] = [one for one in KNOWN if one.name == "opencode"]
    model = {
        "model": "anthropic/claude-sonnet-4-5",
        "small_model": "anthropic/claude-sonnet-4-5",
        "autoupdate": False,
        "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1", "apiKey": "not-a-key"}}},
    }
    home = stage.folder / "home"
    home.mkdir()
    settings = home / "opencode.json"
    settings.write_text(json.dumps(model))
    env = {
        **known.env,
        "HOME": str(home),
        "OPENCODE_CONFIG": str(settings),
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1",
    }
    words = ", ".join(f"{name} = {json.dumps(value)}" for name, value in env.items())
    command = json.dumps([str(program), *known.words[1:]])
    stage.personal.write_text(f"[agents.opencode]\ncommand = {command}\nenv = {{ {words} }}\n")


async def test_a_task_by_our_tools_its_own_and_its_shell_arrives_as_one_set(stage: Stage):
    for name in ("Ours", "Own", "Sed"):
        (stage.notes / f"{name}.md").write_text(f"{name} was here in may.\n")
    folder: list[Path] = []

    def calls() -> Iterator[tuple[str, dict[str, object]]]:
        edit: dict[str, object] = {"old_string": "may", "new_string": "June"}
        own = {"filePath": str(folder[0] / "Own.md")}
        yield "commonplace_read", {"file_path": "Ours.md"}
        yield "commonplace_edit", {"file_path": "Ours.md", **edit}
        yield "read", {**own}
        yield "edit", {**own, "oldString": "may", "newString": "June"}
        yield "bash", {"command": "sed -i s/may/June/ Sed.md", "description": "Move it"}

    with scripted(calls(), works_with="read") as model:
        install(stage, model.url)
        async with stage.opened() as (agents, served):
            talk = await agents.begin("opencode")
            folder.append(stage.folder / "state/agents" / talk.record.id / "notes")
            talk.ask(Prompt("Move all to June"))

            def questions() -> list[Event]:
                return [one for one in talk.record.entries if one["kind"] in ("question", "done")]

            [asked] = await eventually(questions, PATIENCE)
            assert asked["kind"] == "question", talk.record.entries
            assert (asked["given"], asked["runs"]) == ("sed -i s/may/June/ Sed.md", True)
            talk.answer(asked["id"], "once")
            await talk.finished()
            done = talk.record.entries[-1]
            assert done["reason"] == "end_turn", talk.record.entries
            for name in ("Ours", "Own", "Sed"):
                text = await served.vault.texts.marked(f"{name}.md")
                assert critic.base(text) == f"{name} was here in may.\n", (name, model.results)
                assert critic.accepted(text) == f"{name} was here in June.\n"
            paths = {one.path for one in served.vault.sets.kept.store.of_set(done["set"])}
            assert paths == {"Ours.md", "Own.md", "Sed.md"}
            assert [one["id"] for one in talk.about["modes"]["offered"]] == ["build", "plan"]
            await talk.set_mode("plan")
