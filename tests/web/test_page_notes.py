"""Making, renaming and deleting notes; approvals; the graph; connecting an assistant."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.wait import has_words
from tests.web.assistant import Assistant, connected
from tests.web.browser import graph_at_rest, shot
from tests.web.notes import NOTES
from tests.web.serve import Server, write
from tests.web.test_page_editing import opened, write_at_end_of

pytestmark = pytest.mark.slow

# What is written within 500 ms of the last is undone with it (Yjs).
UNDO_STEP_MS = 550


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
    page.wait_for_selector("dialog input:focus")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Pond")
    has_words(vault / "Projects/Pond.md", "# Pond")
    page.wait_for_selector(".tree-row.here >> text=Pond")


def test_a_note_begins_with_a_template(visit: Any, vault: Path) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    command(page, "new note")
    page.fill("dialog input", "Monday")
    page.select_option("dialog select", label="Meeting")
    page.click("dialog button:has-text('Create')")
    page.wait_for_selector("h1 >> text=Monday")
    has_words(vault / "Monday.md", "# Monday\n\nDate: 20")


def test_an_existing_name_is_refused_with_a_reason(visit: Any) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    command(page, "new note")
    page.fill("dialog input", "Start here")
    page.click("dialog button:has-text('Create')")
    page.wait_for_selector("dialog [role=alert]")


def test_links_follow_a_renamed_note_before_the_eyes_of_others(visit: Any, vault: Path) -> None:
    other = opened(visit, "Garden/Clover.md", "Boris")
    other.wait_for_selector(".cm-wikilink >> text=Bees")
    page = opened(visit, "Garden/Bees.md")
    command(page, "rename")
    page.fill("dialog input", "Insects/Pollinators")
    page.click("dialog button:has-text('Rename')")
    page.wait_for_selector(".message >> text=2 links follow")
    page.wait_for_selector("h1 >> text=Pollinators")
    other.wait_for_selector(".cm-wikilink:not(.unresolved) >> text=Pollinators")
    has_words(vault / "Garden/Clover.md", "feeds the [[Pollinators]].")
    assert not (vault / "Garden/Bees.md").exists()
    assert "visit the clover" in (vault / "Insects/Pollinators.md").read_text("utf-8")
    page.click(".message >> text=Undo")
    page.wait_for_selector("h1 >> text=Bees")
    other.wait_for_selector(".cm-wikilink:not(.unresolved) >> text=Bees")


def end_undo_step(page: Any) -> None:
    """Wait, by the page's own clock, until what is written next is undone by itself."""
    begun = page.evaluate("Date.now()")
    page.wait_for_function(f"begun => Date.now() - begun > {UNDO_STEP_MS}", arg=begun)


def test_a_note_that_another_renames_is_written_on_under_its_new_name(
    visit: Any, server: Server, vault: Path
) -> None:
    write(vault, {"Pond.md": "# Pond\n\nIt freezes.\n"})
    page, other = opened(visit, "Pond.md"), opened(visit, "Pond.md", "Boris")
    write_at_end_of(page, "It freezes", " First")
    command(other, "rename")
    other.fill("dialog input", "Water/Lake")
    other.click("dialog button:has-text('Rename')")
    page.wait_for_selector("h1 >> text=Lake")
    page.wait_for_selector(".tree-row.here >> text=Lake")
    title = "document.title.replace(/^\\(\\d+\\) /, '')"  # before it: how much waits for a person
    assert page.evaluate(f"[location.hash, {title}]") == [
        "#note!Water/Lake.md",
        "Lake · Commonplace",
    ]
    end_undo_step(page)
    page.keyboard.insert_text(" second.")  # neither the cursor nor what can be undone is lost
    has_words(vault / "Water/Lake.md", "It freezes. First second.")
    page.keyboard.press("Control+z")
    other.wait_for_selector(".cm-line >> text=second", state="detached")
    other.click(".message >> text=Undo")
    page.wait_for_selector("h1 >> text=Pond")
    server.stop()
    page.wait_for_selector(".state.offline")
    page.keyboard.type(" third.")
    server.start()
    page.wait_for_selector(".state.live.saved", timeout=15_000)
    has_words(vault / "Pond.md", "It freezes. First third.")
    assert not (vault / "Water/Lake.md").exists()


def test_a_deleted_note_comes_back(visit: Any, vault: Path) -> None:
    page = opened(visit, "Reading/Middlemarch.md")
    command(page, "delete this")
    page.click("dialog button:has-text('Delete')")
    page.wait_for_selector(".message >> text=trash")
    assert not (vault / "Reading/Middlemarch.md").exists()
    page.click(".message >> text=Undo")
    page.wait_for_selector("h1 >> text=Middlemarch")
    assert (vault / "Reading/Middlemarch.md").exists()


_DOT = """() => { const canvas = document.querySelector('.graph canvas'), box = canvas.getBoundingClientRect();
    for (let y = 4; y < box.height; y += 6) for (let x = 4; x < box.width; x += 6) {
        const [clientX, clientY] = [box.x + x, box.y + y];
        canvas.dispatchEvent(new PointerEvent('pointermove', {clientX, clientY}));
        if (canvas.style.cursor === 'pointer') return [clientX, clientY];
    } return null }"""


def test_the_graph_opens_notes(visit: Any) -> None:
    page = opened(visit, "Start here.md")
    page.click("#tab-graph")
    page.wait_for_selector(".graph canvas[aria-label='Graph of 2 notes and 1 link']")
    graph_at_rest(page)
    page.click(".segmented button:has-text('2 steps')")
    page.wait_for_selector(".graph summary")
    page.click(".graph summary")
    page.wait_for_selector(".graph details >> text=/garden plan/i")
    graph_at_rest(page)
    shot(page, "local-graph")
    page.evaluate("location.hash = '#graph'")
    page.wait_for_selector(".whole-graph canvas[aria-label*=notes]")
    graph_at_rest(page)
    shot(page, "graph")
    page.evaluate("location.hash = '#note!Garden/Clover.md'")
    page.wait_for_selector("h1 >> text=Clover")
    page.wait_for_selector(".cm-content .cm-line")
    page.click("#tab-graph")
    page.wait_for_selector(".graph canvas[aria-label^='Graph of 2 notes']")
    graph_at_rest(page)
    page.mouse.click(
        *page.evaluate(_DOT)
    )  # the first one from above: either the note or its neighbour
    if page.inner_text("h1") == "Clover":
        dots = page.evaluate(
            _DOT.replace("return [clientX, clientY];", "window.last = [clientX, clientY];")
        )
        assert dots is None
        page.mouse.click(*page.evaluate("window.last"))
    page.wait_for_selector("h1 >> text=Bees")


def test_connecting_shows_lines_to_paste(visit: Any, server: Server) -> None:
    page = visit("#tags", permissions=["clipboard-read", "clipboard-write"])
    page.wait_for_selector(".tree-row")
    page.keyboard.press("c")
    page.wait_for_selector(f"dialog code >> text={server.url}/mcp")
    page.click("[aria-label='Copy for Claude Code']")
    page.wait_for_selector("dialog >> text=Copied")
    words = shlex.split(page.evaluate("navigator.clipboard.readText()"))
    assert words[:3] == ["claude", "mcp", "add"]
    assert words[-4:] == ["mcp", str(server.vault), "--state", str(server.state)]
    shot(page, "connect")


def _ask(page: Any, assistant: Assistant, path: str) -> None:
    """Ask to create a note; it shows up without anybody reloading anything."""
    answer = assistant.begin("create_note", path=path, content=f"# {path}\n").result(20)
    assert answer.is_error, answer
    page.wait_for_selector(f".approval >> text={path}")


def test_what_assistants_ask_for_is_answered_in_every_way(visit: Any, server: Server) -> None:
    vault, page = server.vault, visit("#approvals")
    page.wait_for_selector("text=No assistant asks for anything.")
    with connected(server.url) as claude, connected(server.url, "Other") as other:
        _ask(page, claude, "Once.md")
        page.wait_for_selector(".ways .count >> text=1")
        shot(page, "approvals")
        assert not (vault / "Once.md").exists()
        page.click("button:has-text('Allow once')")
        has_words(vault / "Once.md", "# Once")
        _ask(page, claude, "Denied.md")
        page.fill("[aria-label^='Reason']", "Not in this folder.")
        page.click("button:has-text('Deny')")
        page.wait_for_selector("text=No assistant asks for anything.")
        _ask(page, claude, "Session.md")
        page.click("button:has-text('Allow in this session')")
        page.wait_for_selector(".message >> text=may create notes until its session ends")
        has_words(vault / "Session.md", "# Session")
        claude.call("create_note", path="Same session.md", content="# No question\n")
        has_words(vault / "Same session.md", "# No question")
        _ask(page, other, "Always.md")
        everybody = "every program on this machine may create notes anywhere without asking"
        page.click(f"button:has-text('Always: {everybody}')")
        page.wait_for_selector(f".message >> text={everybody}")
        has_words(vault / "Always.md", "# Always")
    with connected(server.url, "Other") as again, connected(server.url, "Third") as third:
        again.call("create_note", path="Ever after.md", content="# No question\n")
        # Without an access token a name proves nothing, so "always" holds for every program here.
        third.call("create_note", path="Third.md", content="# No question either\n")
        page.wait_for_selector("text=No assistant asks for anything.")
        page.click(f".granted li:has-text('{everybody}') button:has-text('Revoke')")
        page.wait_for_selector(".granted", state="detached")
        _ask(page, third, "Asked again.md")
        page.click("button:has-text('Deny')")
        page.wait_for_selector("text=No assistant asks for anything.")
        page.keyboard.press("c")
        page.wait_for_selector(".assistants li >> text=Third")
        third.call("read", file_path="Ever after.md")
        page.wait_for_selector(".assistants li:has-text('Third') >> text=/read Ever after/")
    assert not (vault / "Denied.md").exists()


def test_writing_needs_the_header_that_other_sites_cannot_send(visit: Any, server: Server) -> None:
    page = visit()
    wishes: dict[str, dict[str, Any]] = {
        "review": {"decision": "accept", "all": True},
        "review/undo": {"undo": "x"},
        "notes": {"path": "Forged.md", "content": ""},
        "notes/rename": {"path": "Start here.md", "to": "Forged.md"},
        "notes/rename/undo": {"undo": "x"},
        "notes/delete": {"path": "Start here.md"},
        "notes/restore": {"trash": "x"},
        "approvals/1": {"decision": "approve"},
        "remembered/forget": {},
        "remembered/revoke": {"key": "x"},
        "index": {},
    }
    for path, wish in wishes.items():
        refused = page.request.post(f"{server.url}/api/{path}", data=wish)
        assert (path, refused.status) == (path, 403)
        assert refused.json()["error"]["code"] == "FORBIDDEN"
    assert not (server.vault / "Forged.md").exists()
    assert (server.vault / "Start here.md").exists()


def test_a_vault_that_is_only_read_says_so_and_stays_as_it_is(
    visit: Any, serve: Any, tmp_path: Path
) -> None:
    closed = serve(tmp_path, NOTES, "--read-only")
    page = visit("#note!Garden/Plan.md", url=closed.url)
    page.wait_for_selector(".state.live >> text=Read only")
    page.wait_for_selector(".sidebar .badge >> text=Read only")
    assert page.locator("[aria-label='New note']").count() == 0
    write_at_end_of(page, "Tomatoes along", " forbidden")
    assert "forbidden" not in page.inner_text(".cm-content")
    page.click(".cm-line >> text=cut down only")
    page.wait_for_selector(".suggestion-card >> text=Claude")
    assert page.locator(".suggestion-card button").count() == 0
    page.keyboard.press("Control+Enter")
    assert page.locator(".suggestion .accept:enabled").count() == 0
    shot(page, "read-only")
    page.keyboard.press("Control+k")
    page.keyboard.type(">")
    page.wait_for_selector("[role=option] >> text=Keyboard help")
    assert not page.locator("[role=option]", has_text="Rename").count()
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#review!all'")
    page.wait_for_selector("[role=status] >> text=4 suggestions wait")
    assert page.locator(".queue-row .accept:enabled").count() == 0
    headers = {"x-commonplace": "1"}
    for path in ("review", "notes", "notes/rename", "notes/delete", "approvals/1"):
        refused = page.request.post(f"{closed.url}/api/{path}", data={"all": True}, headers=headers)
        assert refused.status == 404, path
    assert (closed.vault / "Garden/Plan.md").read_text("utf-8") == NOTES["Garden/Plan.md"]
    page.context.close()
