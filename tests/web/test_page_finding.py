"""Finding: the palette's order and names, the search box's conditions, the tree, the trash, the graph."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.wait import has_words
from tests.web.assistant import connected
from tests.web.browser import answer, graph_at_rest, shot
from tests.web.notes import NOTES
from tests.web.serve import Server, serving
from tests.web.test_page_editing import opened
from tests.web.test_page_shell import faults

pytestmark = pytest.mark.slow

_LONG = "Plugins/A folder with a very long name indeed/And another one below it/dataview-publisher-for-the-web.md"
_MORE = {
    "Plugins/obsidian-dataview-extras.md": "# Extras\n",
    "Plugins/dataview.md": "# Dataview\n",
    _LONG: "# Publisher\n\n## Setting up a printing press\n",
    "Themes/Minimal Dark Coder.md": "# x\n",
    "Themes/Minimal.md": "---\naliases: [Plain and simple]\n---\n# Minimal\n\n## Data of the view\n",
    "Moved/One.md": "# One\n\nSee [[Moved/Two]].\n",
    "Moved/Two.md": "# Two\n",
    "Gone.md": "# Gone\n\nIt goes.\n",
    "Trashed.md": "# Trashed\n\nIt goes as well.\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    from tests.web.build import build

    build()
    with serving(tmp_path_factory.mktemp("served"), {**NOTES, **_MORE}) as found:
        yield found


def found_by(page: Any, typed: str, wait: str) -> list[str]:
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")
    page.keyboard.type(typed)
    page.wait_for_selector(f"[role=option] >> text={wait}")
    names = page.locator("[role=option] .title").all_inner_texts()
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    return names


def test_the_palette_puts_exact_names_first_and_knows_other_names(visit: Any) -> None:
    page = visit("#tags")
    page.wait_for_selector(".tree-row")
    names = found_by(page, "dataview", "dataview-publisher")
    assert names[:3] == ["dataview", "dataview-publisher-for-the-web", "obsidian-dataview-extras"]
    assert found_by(page, "minimal", "Minimal Dark")[:2] == ["Minimal", "Minimal Dark Coder"]
    assert found_by(page, "plain and", "also: Plain and simple")[0] == "Minimal"
    assert found_by(page, "printing", "heading in dataview")[0] == "Setting up a printing press"
    page.keyboard.press("Control+k")
    page.keyboard.type("printing")
    page.wait_for_selector("[role=option] >> text=heading in dataview")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=dataview-publisher")
    page.wait_for_function("() => document.activeElement?.classList.contains('cm-content')")
    page.keyboard.press("Control+k")
    page.wait_for_selector("[role=option][aria-selected=true] >> text=dataview-publisher")


def test_the_palette_shows_full_names_and_its_whole_box(visit: Any) -> None:
    for name, size in (("wide", (1360, 860)), ("phone", (390, 844))):
        page = visit("#tags", viewport={"width": size[0], "height": size[1]})
        page.wait_for_selector(".tree-row", state="attached")
        page.keyboard.press("Control+k")
        page.wait_for_selector("dialog.palette")
        page.keyboard.type("a")
        page.wait_for_selector("[role=option] >> text=dataview-publisher")
        shot(page, f"palette-{name}")
        assert page.evaluate("document.querySelector('.palette-input').offsetHeight") >= 54
        cut = page.evaluate(
            "[...document.querySelectorAll('.palette-list .title')].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent)"
        )
        assert cut == []


def test_the_search_box_knows_conditions_and_marks_only_words(visit: Any) -> None:
    page = visit("#search!")
    page.wait_for_selector(".conditions")
    assert faults(page) == []

    for typed, wanted in (
        ("tag:garden -path:clover", ["Bees", "The garden plan"]),
        ('"visit the clover"', ["Bees"]),
        ("is:pending path:reading", ["Middlemarch"]),
        ('"clover" -white', ["Bees"]),
    ):
        page.fill(".search-input", typed)
        page.wait_for_function(
            "wanted => [...document.querySelectorAll('.hits .title')].map((each) => each.innerText).sort().join() === wanted",
            arg=",".join(wanted),
        )
    page.fill(".search-input", "what is a book on the pond")
    page.wait_for_selector(".hits mark")
    page.wait_for_function(
        "() => document.querySelector('.hits .title').innerText.includes('Walden')"
    )
    marked = {each.lower() for each in page.locator(".hits mark").all_inner_texts()}
    assert marked == {"book", "pond"}
    page.fill(".search-input", "clover")
    page.wait_for_function("() => document.querySelectorAll('.hits li').length > 1")
    page.select_option("[aria-label=Order]", "name")
    page.wait_for_function(
        "() => (() => { const names = [...document.querySelectorAll('.hits .title')].map((each) => each.innerText); return names.join() === [...names].sort().join() })()"
    )


def test_what_was_found_by_meaning_says_so(visit: Any) -> None:
    page = visit("#search!")
    hit = '{"path": "Garden/Bees.md", "title": "Bees", "score": 0.5, "snippet": "They visit on clover.", "matched": ["meaning"]}'
    answer(page, "**/api/find?*", f'{{"terms": ["insects", "on"], "hits": [{hit}]}}')
    page.fill(".search-input", "insects on")
    page.wait_for_selector(".hits .badge >> text=by meaning")
    assert page.locator(".hits mark").count() == 0


def test_the_tree_has_a_menu_for_everything(visit: Any, vault: Path) -> None:
    page = visit("#tags", permissions=["clipboard-read", "clipboard-write"])
    page.click(".tree-row >> text=Garden", button="right")
    page.wait_for_selector("[role=menu] [role=menuitem]:focus")
    assert faults(page) == []
    page.click("[role=menuitem] >> text=New folder here")
    page.wait_for_selector("dialog input")
    assert page.input_value("dialog input") == "Garden/"
    page.fill("dialog input", "Garden/Sheds")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tree-row.folder >> text=Sheds")
    assert (vault / "Garden/Sheds").is_dir()
    page.click(".tree-row >> text=Clover", button="right")
    page.click("[role=menuitem] >> text=Copy link")
    page.wait_for_selector(".message >> text=Link copied")
    assert page.evaluate("navigator.clipboard.readText()") == "[[Clover]]"
    # by keys alone
    page.locator(".tree").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+F10")
    page.wait_for_selector("[role=menuitem]:focus")
    page.keyboard.press("Escape")
    page.wait_for_selector("[role=menu]", state="detached")
    page.keyboard.press("F2")
    page.wait_for_selector("dialog >> text=Rename or move the folder")
    page.keyboard.press("Escape")


def test_a_note_and_a_folder_are_dragged_and_links_follow(visit: Any, vault: Path) -> None:
    page = visit("#tags")
    page.click(".tree-row >> text=Moved")
    page.wait_for_selector(".tree-row >> text=Two")
    page.drag_and_drop(".tree-row >> text=Two", ".tree-row.folder >> text=Reading")
    page.wait_for_selector(".message >> text=1 link follows")
    has_words(vault / "Reading/Two.md", "# Two")
    has_words(vault / "Moved/One.md", "[[Reading/Two]]")
    page.drag_and_drop(".tree-row.folder >> text=Moved", ".tree-row.folder >> text=Themes")
    page.wait_for_selector(".message >> text=Moved 1 note")
    has_words(vault / "Themes/Moved/One.md", "[[Reading/Two]]")
    assert not (vault / "Moved").exists()
    page.click(".message:has-text('Moved 1 note') >> text=Undo")
    has_words(vault / "Moved/One.md", "[[Reading/Two]]")


def test_the_trash_shows_what_people_and_assistants_deleted(
    visit: Any, vault: Path, server: Server
) -> None:
    page = visit("#trash")
    page.wait_for_selector("[role=status] >> text=0 notes")
    other = opened(visit, "Gone.md", "Boris")
    other.keyboard.press("Control+k")
    other.keyboard.type(">delete this")
    other.keyboard.press("Enter")
    other.click("dialog button:has-text('Delete')")
    page.wait_for_selector(".trash li >> text=deleted by Boris")
    with connected(server.url, "Claude") as claude:
        claude.begin("delete_note", path="Trashed.md").result(20)
        other.evaluate("location.hash = '#approvals'")
        other.click("button:has-text('Allow once')")
        page.wait_for_selector(".trash li:has-text('Trashed') >> text=deleted by Claude")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults(page) == []
    page.click("[aria-label='Restore Gone']")
    page.wait_for_selector(".trash li:has-text('Gone')", state="detached")
    has_words(vault / "Gone.md", "It goes.")


def test_the_graph_is_searched_filtered_and_coloured(visit: Any) -> None:
    for scheme in ("light", "dark"):
        page = visit("#graph", color_scheme=scheme)
        page.wait_for_selector(".graph-top[data-labels]")
        page.wait_for_selector(".legend >> text=Garden")
        graph_at_rest(page)
        shot(page, f"graph-{scheme}")
        assert faults(page) == []
    page.fill("[aria-label='Find notes in the graph']", "clover")
    page.wait_for_selector(".graph [role=status] >> text=/1 note found/")
    page.wait_for_function("() => document.querySelector('.graph-top').dataset.labels === '1'")
    page.fill("[aria-label='Find notes in the graph']", "")
    page.click(".legend button:has-text('Garden')")
    page.wait_for_selector(".graph [role=status] >> text=/^3 of/")
    page.click(".graph summary")
    assert sorted(page.locator(".graph details a").all_inner_texts()) == [
        "Bees",
        "Clover",
        "The garden plan",
    ]
    page.select_option("[aria-label=Colours]", "tag")
    page.wait_for_selector(".legend >> text=#garden")
    page.check(".graph-bar input[type=checkbox]")
    page.wait_for_selector(".graph [role=status] >> text=/^[0-9]+ of/")
