"""Writing together: two people, an assistant, links, previews, properties, and no lost work."""

import asyncio
import threading
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from tests.web.serve import Server

pytestmark = pytest.mark.slow


def opened(visit: Any, path: str, name: str = "Ann", **more: Any) -> Any:
    page = visit(f"#note!{path}", name, **more)
    page.wait_for_selector(".cm-content .cm-line")
    page.wait_for_selector(".state.live")
    return page


def write_at_end_of(page: Any, line: str, words: str) -> None:
    page.click(f".cm-line >> text={line}")
    page.keyboard.press("End")
    page.keyboard.type(words)


def eventually(file: Path, words: str) -> None:
    deadline = monotonic() + 5
    text = ""
    while words not in text:
        assert monotonic() < deadline, text
        sleep(0.02)
        text = file.read_text("utf-8") if file.exists() else ""


def call(server: Server, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Use tools as an assistant does, over MCP."""
    from mcp import Client

    async def work() -> list[Any]:
        async with Client(f"{server.url}/mcp") as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(asyncio.run(work())))
    thread.start()
    thread.join(20)
    return found


def test_two_people_see_each_other_write(visit: Any, vault: Path) -> None:
    ann, boris = opened(visit, "Garden/Clover.md"), opened(visit, "Garden/Clover.md", "Boris")
    write_at_end_of(boris, "White clover", " It grows low.")
    ann.wait_for_selector(".cm-line >> text=It grows low.")
    ann.wait_for_selector(".cm-other-name >> text=Boris")
    ann.wait_for_selector("[aria-label='Who is here'] [title=Boris]")
    boris.wait_for_selector(".state.saved >> text=Saved")
    eventually(vault / "Garden/Clover.md", "It grows low.")
    boris.context.close()
    ann.wait_for_selector(".cm-other-name", state="detached")


def test_an_edit_of_an_assistant_appears_within_a_moment(visit: Any, server: Server) -> None:
    page = opened(visit, "Reading/Walden.md")
    page.evaluate(
        """() => { window.seen = 0; new MutationObserver(() => {
            if (!window.seen && document.querySelector('.cm-ins')) window.seen = Date.now();
        }).observe(document.querySelector('.cm-content'), {childList: true, subtree: true}) }"""
    )
    edit = {"file_path": "Reading/Walden.md", "old_string": "a pond", "new_string": "a quiet pond"}
    read, edited = call(server, ("read", {"file_path": "Reading/Walden.md"}), ("edit", edit))
    assert not read.is_error
    assert not edited.is_error
    page.wait_for_selector(".cm-ins")
    page.wait_for_selector(".tree-row.here .count >> text=1")


def test_links_are_completed_followed_and_previewed(visit: Any, vault: Path) -> None:
    page = opened(visit, "Start here.md")
    write_at_end_of(page, "Begin with", " Then [[clov")
    page.wait_for_selector(".cm-tooltip-autocomplete >> text=Clover")
    page.keyboard.press("Enter")
    eventually(vault / "Start here.md", "Then [[Clover]]")
    page.hover(".cm-wikilink >> text=Plan")
    page.wait_for_selector(".peek >> text=The garden plan")
    page.mouse.move(5, 5)
    page.click(".cm-wikilink >> text=Clover")
    page.wait_for_selector("h1 >> text=Clover")


def test_the_preview_stands_beside_or_instead(visit: Any) -> None:
    page = opened(visit, "Garden/Plan.md")
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose h1 >> text=The garden plan")
    assert "{++" not in page.inner_text(".prose p >> nth=0")
    page.click(".segmented button:has-text('Write')")
    page.click("summary[aria-label=More]")
    page.click("text=Preview beside")
    page.wait_for_selector(".sheets.beside .prose h2 >> text=Beds")
    write_at_end_of(page, "Tomatoes along", " and ladders")
    page.wait_for_selector(".prose >> text=and ladders")


def test_properties_are_a_form_that_changes_one_line_alone(visit: Any, vault: Path) -> None:
    page = opened(visit, "Garden/Plan.md")
    before = (vault / "Garden/Plan.md").read_text("utf-8")
    page.fill("input[aria-label=status]", "final: really")
    page.keyboard.press("Tab")
    page.check("input[aria-label=done]")
    eventually(vault / "Garden/Plan.md", "done: true")
    after = (vault / "Garden/Plan.md").read_text("utf-8")
    assert after == before.replace("draft", '"final: really"').replace("done: false", "done: true")
    page.click(".properties >> text=As text")
    page.wait_for_selector(".cm-line >> text=final: really")


def test_work_survives_a_restart_of_the_server(visit: Any, server: Server, vault: Path) -> None:
    page = opened(visit, "Garden/Bees.md")
    server.stop()
    page.wait_for_selector(".state.offline")
    write_at_end_of(page, "They visit", " Offline words.")
    server.start()
    page.wait_for_selector(".state.live.saved", timeout=15_000)
    eventually(vault / "Garden/Bees.md", "Offline words.")
    assert page.inner_text(".cm-content").count("They visit") == 1


def test_work_survives_a_closed_tab(visit: Any, server: Server, vault: Path) -> None:
    page = opened(visit, "日記/あ.md")
    server.stop()
    page.wait_for_selector(".state.offline")
    write_at_end_of(page, "今日は", "風。😀")
    page.wait_for_timeout(600)
    page.goto("about:blank")
    server.start()
    page.goto(f"{server.url}/#note!日記/あ.md")
    page.wait_for_selector(".cm-line >> text=風。😀")
    eventually(vault / "日記/あ.md", "今日は晴れ。風。😀")
