"""Writing: where the cursor is, lists, formatting, completion, hidden marks, keys that cannot stray."""

from pathlib import Path
from typing import Any

import pytest

from tests.wait import has_words
from tests.web.browser import choose, has_all_keys
from tests.web.serve import write
from tests.web.test_page_editing import opened

pytestmark = pytest.mark.slow

_TEXT = "(document.querySelector('.cm-content').cmTile?.view ?? document.querySelector('.cm-content').cmView?.view).state"


def text_of(page: Any) -> str:
    return page.evaluate(f"{_TEXT}.doc.toString()")


def ready(visit: Any, vault: Path, path: str, text: str, **more: Any) -> Any:
    """Open a new note with the cursor at its end, once the editor has all its keys."""
    write(vault, {path: text})
    page = opened(visit, path, **more)
    page.wait_for_function(f"() => {_TEXT}.doc.length === {len(text)}")
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    has_all_keys(page)
    return page


def test_what_is_typed_before_a_dialog_is_there_reaches_its_field(visit: Any) -> None:
    page = visit("#tags")
    page.wait_for_selector(".tree-row")
    page.route("**/assets/dialogs-*.js", _late)
    page.reload()
    page.wait_for_selector(".tree-row")
    page.keyboard.press("n")
    page.keyboard.type("Quickx")
    page.keyboard.press("Backspace")
    assert page.locator("dialog").count() == 0, "the control: the dialog is on its way"
    _LATE.pop().continue_()
    page.wait_for_selector("dialog input:focus")
    page.keyboard.type("er")
    assert page.locator("dialog input").input_value() == "Quicker"
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Quicker")


_LATE: list[Any] = []


def _late(route: Any) -> None:
    _LATE.append(route)


def test_what_is_typed_after_making_a_note_is_in_it(visit: Any, vault: Path) -> None:
    page = visit("#tags")
    page.wait_for_selector(".tree-row")
    page.keyboard.press("n")
    page.wait_for_selector("dialog input:focus")
    page.keyboard.type("Fresh")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement?.classList.contains('cm-content')")
    page.keyboard.type("Body text, drgtn")
    has_words(vault / "Fresh.md", "# Fresh\n\nBody text, drgtn")
    assert page.evaluate("location.hash") == "#note!Fresh.md"


def test_what_is_opened_from_the_palette_or_the_tree_can_be_written_in(visit: Any) -> None:
    page = visit("#tags")
    page.wait_for_selector(".tree-row")
    page.keyboard.press("Control+k")
    page.keyboard.type("walden")
    page.wait_for_selector("[role=option][aria-selected=true] >> text=Walden")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1 >> text=Walden")
    page.wait_for_function("() => document.activeElement?.classList.contains('cm-content')")
    # the same note once more: the dialog gives the cursor back
    page.keyboard.press("Control+k")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog", state="detached")
    page.wait_for_function("() => document.activeElement?.classList.contains('cm-content')")
    page.click(".tree-row >> text=Start here")
    page.wait_for_selector("h1 >> text=Start here")
    page.wait_for_function("() => document.activeElement?.classList.contains('cm-content')")


def test_search_and_review_have_the_focus(visit: Any) -> None:
    page = visit("#tags")
    page.wait_for_selector(".tree-row")
    for go in (lambda: page.keyboard.press("/"), lambda: page.click(".ways >> text=Search")):
        page.evaluate("location.hash = '#tags'")
        page.wait_for_selector("h1 >> text=Tags")
        go()
        page.wait_for_function("() => document.activeElement?.classList.contains('search-input')")
    page.keyboard.type("bees r i d")
    page.wait_for_selector(".hits li")
    assert page.input_value(".search-input") == "bees r i d"
    page.click(".ways >> text=Review")
    page.wait_for_selector(".set-row")
    page.wait_for_function("() => document.activeElement?.classList.contains('set-row')")
    page.click("text=One by one")
    page.wait_for_selector(".queue-row")
    page.wait_for_function("() => document.activeElement?.classList.contains('queue-rows')")
    page.keyboard.press("j")
    page.wait_for_selector("#pending-1.current")


def test_letters_are_no_commands_beside_a_text_or_when_switched_off(visit: Any) -> None:
    page = opened(visit, "Garden/Bees.md")
    page.evaluate("document.activeElement?.blur()")
    for key in "gtrdi/":
        page.keyboard.press(key)
    page.click("#tab-links")
    page.keyboard.press("g")
    assert page.evaluate("location.hash") == "#note!Garden/Bees.md"
    page.locator(".tree").focus()
    page.keyboard.press("?")
    page.wait_for_selector("dialog.help")
    page.uncheck("dialog.help input[type=checkbox]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.locator(".tree").focus()
    page.keyboard.press("g")
    page.keyboard.press("Control+k")  # whatever the letter did, it did it by now
    page.wait_for_selector("dialog.palette")
    assert page.evaluate("location.hash") == "#note!Garden/Bees.md"
    page.reload()
    page.wait_for_selector(".state.live")
    assert page.evaluate("localStorage.getItem('commonplace.letter-keys')") == "false"


def test_deleting_a_word_rejects_no_suggestion(visit: Any, vault: Path) -> None:
    page = ready(visit, vault, "Reject.md", "One {--two--}{++zwei++} three.\n")
    page.click(".cm-ins")
    page.wait_for_selector(".suggestion-card")
    page.keyboard.press("Control+Backspace")
    page.keyboard.type("x")
    page.wait_for_selector(".state.saved")
    assert page.locator(".cm-del").count() == 1
    page.click(".cm-del")
    page.keyboard.press("Shift+F9")
    page.wait_for_selector(".cm-del", state="detached")
    has_words(vault / "Reject.md", "One two three.")


def test_lists_are_indented_and_continued(visit: Any, vault: Path) -> None:
    page = ready(visit, vault, "List.md", "- one")
    page.keyboard.press("Enter")
    page.keyboard.type("two")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("three")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert text_of(page) == "- one\n  - two\n- three"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("1. a")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("b")
    page.keyboard.press("Enter")
    page.keyboard.type("[ ] c")
    assert text_of(page) == "- one\n  - two\n- three\n1. a\n   2. b\n   3. [ ] c"
    # what is beneath an item goes with it
    page.click(".cm-line >> text=two")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    assert text_of(page).startswith("- one\n"), "the first item has nothing to go beneath"
    assert page.evaluate("document.activeElement.classList.contains('cm-content')")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.classList.contains('cm-content')")


def test_tab_leaves_a_note_with_properties_as_it_is(visit: Any, vault: Path) -> None:
    text = "---\ntags:\n- a\n---\n# Head\n\n```\ncode\n```\n"
    page = ready(visit, vault, "Front.md", text)
    page.keyboard.press("Control+Home")
    page.keyboard.press("Tab")
    assert text_of(page) == text
    page.click(".cm-line >> text=code")
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    assert text_of(page) == text.replace("code", "  code")


def test_quotes_and_tables_are_continued(visit: Any, vault: Path) -> None:
    page = ready(visit, vault, "Table.md", "> a")
    page.keyboard.press("Enter")
    page.keyboard.type("b")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("| x | y |")
    page.keyboard.press("Enter")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    page.keyboard.type("2")
    assert text_of(page) == "> a\n> b\n| x | y |\n| --- | --- |\n| 1 |  |\n| 2 |  |"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.keyboard.type("end")
    assert text_of(page).endswith("| 2 |  |\nend")


def test_words_become_bold_italic_and_links(visit: Any, vault: Path) -> None:
    page = ready(
        visit, vault, "Format.md", "plain", permissions=["clipboard-read", "clipboard-write"]
    )
    page.keyboard.press("Control+b")
    assert text_of(page) == "**plain**"
    page.keyboard.press("Control+i")
    assert text_of(page) == "***plain***"
    page.keyboard.press("Control+b")
    assert text_of(page) == "*plain*"
    page.keyboard.press("Control+i")
    assert text_of(page) == "plain"
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+k")
    page.keyboard.type("x.org")
    assert text_of(page) == "[plain](x.org)"
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.type("see this")
    page.keyboard.press("Shift+Control+ArrowLeft")
    page.evaluate("navigator.clipboard.writeText('https://example.org/a_(b)')")
    page.keyboard.press("Control+v")
    assert text_of(page) == "see [this](https://example.org/a_%28b%29)"
    page.keyboard.press("Control+a")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")


def test_bold_is_suggested_in_suggesting_mode(visit: Any, vault: Path) -> None:
    page = ready(visit, vault, "Bold.md", "one two")
    page.click(".segmented button:has-text('Suggest')")
    page.click(".cm-content")
    page.keyboard.press("End")
    page.keyboard.press("Control+b")
    page.wait_for_selector(".cm-ins")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")
    assert "**two**" in text_of(page)


def complete(page: Any, typed: str, option: str) -> None:
    page.keyboard.type(typed)
    choose(page, option)


def test_enter_waits_for_a_list_that_is_looked_up_again(visit: Any, vault: Path) -> None:
    write(vault, {"Target.md": "# Target\n\n## Two words\n"})
    page = ready(visit, vault, "Wait.md", "x ")
    page.wait_for_selector(".tree-row >> text=Target")
    complete(page, "[[Target#", "Target")
    page.keyboard.type(" and [[Target#t")
    page.wait_for_selector(".cm-tooltip-autocomplete li >> text=Two words")
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route)

    page.route("**/api/note?*", hold)
    page.keyboard.type("w")
    page.wait_for_selector(".cm-tooltip-autocomplete-disabled")
    page.keyboard.press("Enter")
    until_asked(page, held)
    assert text_of(page) == "x [[Target#Target]] and [[Target#tw]]", "no line is broken"
    for route in held:
        route.continue_()
    page.unroute("**/api/note?*", hold)
    has_words(vault / "Wait.md", "x [[Target#Target]] and [[Target#Two words]]")


def until_asked(page: Any, held: list[Any]) -> None:
    """Let the page go on until it has asked for what is held back."""
    while not held:
        page.evaluate("() => new Promise(requestAnimationFrame)")


def test_links_headings_blocks_and_tags_are_completed(visit: Any, vault: Path) -> None:
    write(
        vault,
        {
            "Target.md": "---\naliases: [Bullseye]\n---\n# Target\n\n## Two words\n\nA line. ^mark1\n"
        },
    )
    page = ready(visit, vault, "Complete.md", "x ")
    page.wait_for_selector(".tree-row >> text=Target")
    complete(page, "[[Targ", "Target")
    page.keyboard.type(" and ")
    complete(page, "[[Target#tw", "Two words")
    page.keyboard.type(" and ")
    complete(page, "[[Target#^m", "mark1")
    page.keyboard.type(" and ")
    complete(page, "#gard", "garden")
    page.keyboard.type(" end")
    assert (
        text_of(page)
        == "x [[Target]] and [[Target#Two words]] and [[Target#^mark1]] and #garden end"
    )
    page.keyboard.press("Enter")
    complete(page, "[[Bulls", "Bullseye")  # its name comes after the last letter
    assert text_of(page).endswith("\n[[Target|Bullseye]]")


_SHOWN = "[...document.querySelectorAll('.cm-line')].map((line) => line.innerText.trimEnd())"


def test_marks_are_hidden_where_the_cursor_is_not(visit: Any, vault: Path) -> None:
    text = (
        "# Head\n\nA **bold** and *slanted* `code` ~~gone~~ ==lit== [site](https://x.org) [[Bees|bee]].\n"
        "\n- dot\n- [ ] task\n\n> quoted\n\nOld {--**a**--}{++**b**++} [l]({--https://a.org--}{++https://b.org++}) end\n"
    )
    page = ready(visit, vault, "Marks.md", text)
    page.click(".note-head h1")
    page.wait_for_function(f"() => {_SHOWN}.includes('Head')")
    shown = page.evaluate(_SHOWN)
    assert shown[2] == "A bold and slanted code gone lit site bee."
    assert shown[4] == "• dot"
    assert shown[7].strip() == "quoted"
    # what waits for a decision stays in sight, marks and addresses included
    assert "**a**" in shown[9]
    assert "https://a.orghttps://b.org" in shown[9]
    page.click(".cm-line >> text=slanted")
    page.wait_for_function(f"() => {_SHOWN}[2].includes('*slanted*')")
    assert "bold and *slanted* code" in page.evaluate(_SHOWN)[2]
    page.click(".cm-box")
    has_words(vault / "Marks.md", "- [x] task")
    page.keyboard.press("Control+k")
    page.keyboard.type(">hide or show")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => {_SHOWN}.includes('# Head')")
    assert page.evaluate(_SHOWN)[4] == "- dot"
    page.keyboard.press("Control+k")
    page.keyboard.type(">hide or show")
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => {_SHOWN}.includes('Head')")
