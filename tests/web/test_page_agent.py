"""An agent beside a note: asked, followed, answered, stopped; its suggestions appear in the note."""

import base64
import os
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.agent.conftest import Stage
from tests.wait import has_words, until
from tests.web.browser import has_all_keys
from tests.web.conftest import Visit
from tests.web.serve import Server, serving
from tests.web.test_page_shell import faults

pytestmark = pytest.mark.slow
PATIENCE = 120_000
TOKEN_MS_MAX = 150
NOTES = {
    "Plan.md": "# Plan\n\nSow the clover in may.\n",
    "Garden/Soil.md": "# Soil\n\nSandy.\n",
}

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)

COMMANDS = {
    "sessionUpdate": "available_commands_update",
    "availableCommands": [{"name": "compact", "description": "Make it short"}],
}
PLAN = {
    "sessionUpdate": "plan",
    "entries": [
        {"content": "Look", "priority": "low", "status": "completed"},
        {"content": "Move it", "priority": "low", "status": "in_progress"},
        {"content": "Tell", "priority": "low", "status": "pending"},
    ],
}
STEP = {
    "sessionUpdate": "tool_call",
    "toolCallId": "t1",
    "title": "Edit Plan",
    "kind": "edit",
    "status": "completed",
    "locations": [{"path": "Plan.md", "line": 3}],
}


HALF_STEP = {**STEP, "toolCallId": "t2", "title": "Wait", "status": "in_progress"}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return Stage(tmp_path_factory.mktemp("agent"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, stage: Stage) -> Generator[Server]:
    from tests.web.build import build

    build()
    stage.plays(
        {"image": True},
        [
            ["think", "Where is it?"],
            ["update", PLAN],
            ["say", "I **move** it "],
            ["say", "to June."],
            ["update", COMMANDS],
            ["update", STEP],
            ["save", "Plan.md", NOTES["Plan.md"].replace("may", "June")],
            ["shell", "echo \u202eharmless"],
        ],
        [["say", "Then not June."]],
        [["say", "Working on"], ["update", HALF_STEP], ["wait_for_cancel"]],
        [["say_times", 20]],
        [["say", "A red dot."]],
    )
    before = os.environ.get("COMMONPLACE_SETTINGS")
    os.environ["COMMONPLACE_SETTINGS"] = str(stage.personal)
    try:
        with serving(tmp_path_factory.mktemp("served"), NOTES) as found:
            yield found
    finally:
        os.environ.pop("COMMONPLACE_SETTINGS")
        if before is not None:
            os.environ["COMMONPLACE_SETTINGS"] = before


def test_a_prompt_is_asked_answered_and_reviewed_beside_the_note(
    visit: Visit, vault: Path, stage: Stage
):
    page = visit("#note!Plan.md")
    page.set_default_timeout(PATIENCE)
    has_all_keys(page)
    page.keyboard.press("Control+k")
    page.keyboard.type(">ask an agent")
    page.keyboard.press("Enter")
    panel = page.get_by_role("region", name="Agent")
    panel.get_by_text("runs as you").wait_for()
    prompt = panel.get_by_label("Ask the agent")
    expect(prompt).to_be_focused()
    prompt.press_sequentially("Move it to June, see [[soi")
    panel.get_by_role("option", name="Soil").and_(panel.locator("[aria-selected=true]")).wait_for()
    assert faults(page) == []
    prompt.press("Enter")
    expect(prompt).to_have_value("Move it to June, see [[Soil]]", timeout=PATIENCE)
    panel.get_by_role("button", name="Ask stand-in").click()
    question = panel.get_by_role("group", name="The agent asks")
    question.get_by_text("echo <U+202E>harmless").wait_for()
    assert faults(page) == []
    panel.get_by_text("I move it to June.").wait_for()
    expect(panel.get_by_role("list", name="Plan").get_by_role("listitem")).to_have_text(
        ["Look (done)", "Move it (at work)", "Tell"]
    )
    expect(question).to_be_in_viewport()
    answer_by_keys(page, question)
    panel.get_by_role("link", name="Review change set 1").wait_for()
    has_words(vault / "Plan.md", "{--may--}{++June++}")
    page.locator(".editor").get_by_text("June").first.wait_for()
    panel.get_by_text("Edit Plan").click()
    panel.get_by_role("link", name="Plan", exact=False).get_by_text("Plan.md").wait_for()
    asked = next(each["prompt"] for each in stage.log if "prompt" in each)
    assert [block["name"] for block in asked if block["type"] == "resource_link"] == [
        "Plan.md",
        "Garden/Soil.md",
    ]
    panel.get_by_label("Mode").select_option("Code")
    until(lambda: any(each.get("mode") == "code" for each in stage.log), PATIENCE / 1_000)
    _reject_and_tell(page)
    prompt.fill("/com")
    panel.get_by_role("option", name="/compact Make it short").click()
    expect(prompt).to_have_value("/compact ", timeout=PATIENCE)
    prompt.fill("And now something long")
    prompt.press("Enter")
    panel.get_by_text("Working on").wait_for()
    panel.get_by_role("button", name="Stop").click()
    panel.get_by_text("Stopped.").wait_for()
    panel.get_by_text("Wait (stopped)").wait_for()
    panel.get_by_role("button", name="All conversations").click()
    search = panel.get_by_label("Search conversations")
    search.fill("never said")
    expect(panel.get_by_role("button", name="Move it to June")).to_have_count(0, timeout=PATIENCE)
    search.fill("working ON")
    page.set_viewport_size({"width": 390, "height": 500})
    panel.get_by_role("button", name="Move it to June").click()
    panel.get_by_text("I move it to June.").wait_for()
    expect(panel.get_by_role("button", name="Tell stand-in")).to_be_in_viewport()
    assert panel.get_by_text("(at work)").count() == 1  # in the plan, as it was told


def answer_by_keys(page: Page, question: Locator) -> None:
    """Go from the prompt to the question without a mouse, and say no."""
    no = question.get_by_role("button", name="No", exact=True)
    for _ in range(10):
        page.keyboard.press("Shift+Tab")
        if no.evaluate("(button) => button === document.activeElement"):
            break
    page.keyboard.press("Enter")


def _reject_and_tell(page: Page) -> None:
    """Go to the set, reject, and tell the agent with one key; then the conversation is there."""
    page.get_by_role("link", name="Review change set 1").click()
    page.get_by_role("heading", name="Move it to June").wait_for()
    page.get_by_role("link", name="Conversation").wait_for()
    page.locator(".acts-row.current").wait_for()
    page.keyboard.press("w")
    page.get_by_label("Why is this rejected?").fill("keep the month")
    page.keyboard.press("Enter")
    page.get_by_text("Everything in this set is decided.").wait_for()
    page.locator(".set-view").focus()
    page.keyboard.press("f")
    page.get_by_role("heading", name="Move it to June, see").wait_for()
    page.get_by_text('rejected in Plan.md: "may" to "June" (keep the month)').wait_for()
    page.get_by_text("Then not June.").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_panel_fits_a_phone_and_both_looks(visit: Visit, theme: str):
    page = visit(
        "#note!Plan.md",
        viewport={"width": 390, "height": 844},
        color_scheme=theme,
    )
    page.get_by_role("button", name="side panel").first.click()
    page.get_by_role("tab", name="Agent").click()
    page.get_by_label("Ask the agent").wait_for()
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_picture_goes_along_chosen_or_pasted(visit: Visit, stage: Stage):
    Path(f"{stage.script}.turn").write_text("4")
    page = visit("#agent")
    page.set_default_timeout(PATIENCE)
    prompt = page.get_by_label("Ask the agent")
    chip = page.get_by_role("button", name="Leave the picture out")
    file = page.get_by_label("Picture", exact=True)
    file.set_input_files({"name": "x.png", "mimeType": "image/png", "buffer": b"x" * 2_500_001})
    page.get_by_text("over 2.5 MB").wait_for()
    expect(chip).to_have_count(0)
    file.set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": DOT})
    chip.click()
    expect(chip).to_have_count(0)
    prompt.focus()
    page.evaluate(PASTE, base64.b64encode(DOT).decode())
    chip.wait_for()
    assert faults(page) == []
    prompt.fill("What is this?")
    prompt.press("Enter")
    page.get_by_text("A red dot.").wait_for()
    page.get_by_text("(with a picture)").wait_for()
    expect(chip).to_have_count(0)
    [image] = [
        block for each in stage.log for block in each.get("prompt", []) if block["type"] == "image"
    ]
    assert (base64.b64decode(image["data"]), image["mime_type"]) == (DOT, "image/png")


PASTE = """(data) => {
  const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], "dot.png", { type: "image/png" }));
  const event = new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(event);
}"""


WATCH = """() => {
  window.seen = [];
  new MutationObserver(() => {
    const words = [...document.querySelectorAll(".agent .said")].at(-1)?.textContent.trim().split(/\\s+/) ?? [];
    const times = words.filter((word) => /^\\d{13}$/.test(word));
    while (seen.length < times.length) seen.push(Date.now() - Number(times[seen.length]));
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


@pytest.mark.timed
def test_a_word_is_on_screen_soon_after_the_agent_sent_it(visit: Visit, stage: Stage):
    """The first word, and the median of all, measured in the page: from the agent's write to its pipe to the change of the document."""
    Path(f"{stage.script}.turn").write_text("3")
    page = visit("#agent")
    page.set_default_timeout(PATIENCE)
    prompt = page.get_by_label("Ask the agent")
    prompt.fill("Count")
    page.evaluate(WATCH)
    prompt.press("Enter")
    until(lambda: page.evaluate("seen.length") == 20, PATIENCE / 1_000)
    times = page.evaluate("seen")
    print("ms from sent to seen:", times)  # noqa: T201
    assert times[0] <= TOKEN_MS_MAX, times
    assert sorted(times)[len(times) // 2] <= TOKEN_MS_MAX, times
