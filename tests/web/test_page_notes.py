"""Making, renaming and deleting notes; approvals; the graph; connecting an assistant."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.serve import Server
from tests.web.test_page_editing import call, eventually, opened

pytestmark = pytest.mark.slow


def command(page: Any, words: str) -> None:
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")
    page.keyboard.type(f">{words}")
    page.keyboard.press("Enter")


def test_a_note_is_created_from_the_palette(visit: Any, vault: Path) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    page.keyboard.press("Control+k")
    page.keyboard.type("Projects/Pond")
    page.click("[role=option] >> text=Create")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Pond")
    eventually(vault / "Projects/Pond.md", "# Pond")
    page.wait_for_selector(".tree-row.here >> text=Pond")


def test_a_note_begins_with_a_template(visit: Any, vault: Path) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    page.keyboard.press("n")
    page.fill("dialog input", "Monday")
    page.select_option("dialog select", label="Meeting")
    page.click("dialog button:has-text('Create')")
    page.wait_for_selector("h1 >> text=Monday")
    eventually(vault / "Monday.md", "# Monday\n\nDate: 20")


def test_an_existing_name_is_refused_with_a_reason(visit: Any) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    page.keyboard.press("n")
    page.fill("dialog input", "Start here")
    page.click("dialog button:has-text('Create')")
    page.wait_for_selector("dialog [role=alert]")


def test_links_follow_a_renamed_note(visit: Any, vault: Path) -> None:
    page = opened(visit, "Garden/Clover.md")
    command(page, "rename")
    page.fill("dialog input", "Garden/White clover")
    page.click("dialog button:has-text('Rename')")
    page.wait_for_selector("h1 >> text=White clover")
    assert not (vault / "Garden/Clover.md").exists()
    assert "White clover feeds" in (vault / "Garden/White clover.md").read_text("utf-8")


def test_a_deleted_note_comes_back(visit: Any, vault: Path) -> None:
    page = opened(visit, "Reading/Middlemarch.md")
    command(page, "delete this")
    page.click("dialog button:has-text('Delete')")
    page.wait_for_selector(".message >> text=trash")
    assert not (vault / "Reading/Middlemarch.md").exists()
    page.click(".message >> text=Undo")
    page.wait_for_selector("h1 >> text=Middlemarch")
    assert (vault / "Reading/Middlemarch.md").exists()


def test_the_graph_opens_notes(visit: Any) -> None:
    from tests.web.browser import shot

    page = opened(visit, "Garden/Bees.md")
    page.click("#tab-graph")
    page.wait_for_selector(".graph canvas")
    page.click(".graph summary")
    page.wait_for_selector(".graph details >> text=/garden plan/i")
    page.wait_for_timeout(800)
    shot(page, "local-graph")
    page.evaluate("location.hash = '#graph'")
    page.wait_for_selector("canvas[aria-label*=notes]")
    page.wait_for_timeout(800)
    shot(page, "graph")


def test_connecting_shows_lines_to_paste(visit: Any, server: Server) -> None:
    from tests.web.browser import shot

    page = visit("", permissions=["clipboard-read", "clipboard-write"])
    page.wait_for_selector(".tree-row")
    page.keyboard.press("c")
    page.wait_for_selector(f"dialog pre >> text={server.url}/mcp")
    page.click("[aria-label='Copy for Claude Code']")
    page.wait_for_selector("dialog >> text=Copied")
    assert f"{server.url}/mcp" in page.evaluate("navigator.clipboard.readText()")
    shot(page, "connect")


def test_what_an_assistant_asks_for_is_approved(visit: Any, server: Server, vault: Path) -> None:
    from tests.web.browser import shot

    page = visit("#approvals")
    page.wait_for_selector("text=No assistant asks for anything.")
    wish = {"path": "Asked.md", "content": "# Asked\n"}
    (answer,) = call(server, ("create_note", wish))
    page.reload()
    page.wait_for_selector(".approval >> text=Asked.md")
    shot(page, "approvals")
    assert not (vault / "Asked.md").exists(), answer
    page.click("button:has-text('Allow once')")
    eventually(vault / "Asked.md", "# Asked")
    page.wait_for_selector("text=No assistant asks for anything.")
