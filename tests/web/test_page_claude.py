"""The real Claude Code in the page, through its adapter, with a scripted model."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from commonplace.core import critic
from tests.agent.conftest import Stage
from tests.foreign.claude_code.model import scripted
from tests.foreign.test_claude_agent import install
from tests.web.serve import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.engines,
    pytest.mark.skipif(
        os.environ.keys().isdisjoint(("COMMONPLACE_ENGINES", "COMMONPLACE_RELEASE")),
        reason="takes long: run by `make engines` and `make release`",
    ),
]
PATIENCE = 240_000
NAMES = ("Ours", "Own", "Sed", "Third")
NOTES = {f"{name}.md": f"{name} was here in may.\n" for name in NAMES}
LONG: dict[str, object] = {"command": "touch w && sleep 600", "description": "Wait"}


def test_a_task_a_stop_a_kill_and_a_restart(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stage = Stage(tmp_path)
    monkeypatch.setenv("COMMONPLACE_SETTINGS", str(stage.personal))

    def copy() -> Path:
        [found] = (tmp_path / "state").rglob("agents/*/notes")
        return found

    def calls() -> Iterator[tuple[str, dict[str, object]] | None]:
        edit: dict[str, object] = {"old_string": "may", "new_string": "June"}
        yield "mcp__commonplace__read", {"file_path": "Ours.md"}
        yield "Read", {"file_path": str(copy() / "Own.md")}
        yield "Read", {"file_path": str(copy() / "Third.md")}
        yield "mcp__commonplace__edit", {"file_path": "Ours.md", **edit}
        yield "Edit", {"file_path": str(copy() / "Own.md"), **edit}
        yield "Bash", {"command": "sed -i s/may/June/ Sed.md", "description": "Move it"}
        yield None
        yield "Bash", LONG
        yield "Bash", LONG
        yield None

    with scripted(calls()) as model, serving(tmp_path, NOTES) as server:  # pyright: ignore[reportArgumentType]
        install(stage, model.url)
        page = browser.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{server.url}/#note!Own.md")
        page.get_by_role("tab", name="Agent").click()
        panel = page.get_by_label("Agent", exact=True)
        ask(panel, "Move all to June")
        allow(panel, "sed -i s/may/June/ Sed.md")
        panel.get_by_role("link", name="Review change set 1").wait_for()
        page.locator(".editor").get_by_text("June").first.wait_for()
        look_at_files(server.vault)
        ask(panel, "Take your time")
        allow(panel, "touch w && sleep 600")
        panel.get_by_text("(at work)").wait_for()
        panel.get_by_role("button", name="Stop").click()
        panel.get_by_text("Stopped.").wait_for()
        ask(panel, "Once more")
        allow(panel, "touch w && sleep 600")
        panel.get_by_text("is at work").wait_for()
        assert kill_all_in(copy()) > 0
        panel.locator(".failed").wait_for()
        server.stop()
        server.start()
        asked = len(model.requests)
        go_on(page, server.url)
        last = model.requests[asked:]
        assert any("Move all to June" in str(request["messages"]) for request in last)
        page.close()


def ask(panel: Locator, text: str) -> None:
    panel.get_by_label("Ask the agent").fill(text)
    panel.get_by_role("button", name="Ask claude").click()


def allow(panel: Locator, command: str) -> None:
    question = panel.get_by_role("group", name="The agent asks").filter(
        has=panel.page.get_by_role("button", name="Allow once")
    )
    question.get_by_text(command).wait_for()
    question.get_by_role("button", name="Allow once").click()


def look_at_files(vault: Path) -> None:
    """All that was changed is suggested; what was there is there."""
    for name in NAMES:
        text = (vault / f"{name}.md").read_text()
        assert critic.base(text) == NOTES[f"{name}.md"]
        month = "may" if name == "Third" else "June"
        assert critic.accepted(text) == f"{name} was here in {month}.\n"


def go_on(page: Page, url: str) -> None:
    """Take the conversation up again, and see it answered."""
    page.goto(f"{url}/#agent")
    page.reload()
    page.get_by_role("button", name="Move all to June").click()
    panel = page.get_by_label("Agent", exact=True)
    panel.locator(".said").first.wait_for()  # then all of it is there
    before = panel.locator(".said").count()
    ask(panel, "What did I ask first?")
    panel.locator(".said").nth(before).get_by_text("done").wait_for()


def kill_all_in(folder: Path) -> int:
    """Kill every process whose working folder this is; return how many there were."""
    killed = 0
    for process in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            if (process / "cwd").readlink() == folder:
                os.kill(int(process.name), signal.SIGKILL)
                killed += 1
    return killed
