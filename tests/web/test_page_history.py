"""The history in the page: what happened, two versions compared, authors in the text, undo."""

import json
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote
from urllib.request import Request, urlopen

from tests.web.assistant import connected
from tests.web.conftest import Visit
from tests.web.serve import Server
from tests.web.test_page_shell import faults

if TYPE_CHECKING:
    from playwright.sync_api import Page

NOTE = "History tried.md"
SAYS = "(word) => fetch('/api/note?path=History%20tried.md').then((r) => r.json())"
PHONE = {"width": 390, "height": 800}


def says(page: "Page", word: str, *, gone: str = "\0") -> None:
    """Wait until the note holds a word, and no longer another."""
    page.wait_for_function(
        f"{SAYS}.then(({{ text }}) => text.includes(word[0]) && !text.includes(word[1]))",
        arg=[word, gone],
    )


def choose(page: "Page", label: str, value: str) -> None:
    """Filter what is listed."""
    names = ["By", "What", "In", "When"]
    page.locator(".filters select").nth(names.index(label)).select_option(value)


def asked(server: Server, path: str, body: object = None) -> dict[str, object]:
    """Ask the server itself, as a person would."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{server.url}/api/{path}", data, {"X-Commonplace": "1"})
    with urlopen(request) as answer:
        return json.loads(answer.read())


def test_what_an_assistant_did_is_seen_and_taken_back(visit: Visit, server: Server) -> None:
    (server.vault / NOTE).write_text("A cat sat here.\n")
    with connected(server.url) as claude:
        page = visit("#history")
        page.wait_for_selector(".history h1")
        claude.call("read", file_path=NOTE)
        claude.call("edit", file_path=NOTE, old_string="cat", new_string="dog")
        page.reload()
        row = page.locator(".revision").first
        row.get_by_text("History tried").click()
        page.locator(".detail ins", has_text="dog").wait_for()
        choose(page, "By", "Claude")
        page.get_by_text("Undo what Claude did").click()
        page.locator(".undoing .remove", has_text="dog").wait_for()
        page.get_by_text("Take it all back").click()
        page.locator(".message", has_text="Taken back in 1 notes").wait_for()
        says(page, "cat", gone="dog")
        page.locator(".message button", has_text="Undo").click()
        says(page, "dog")


def test_what_somebody_types_is_under_their_name(visit: Visit, server: Server) -> None:
    asked(server, "notes", {"path": "Typed.md", "content": "One.\n", "who": "Cy"})
    page = visit("#note!Typed.md", name="Ann")
    page.locator(".cm-content", has_text="One.").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("Two.")
    page.wait_for_function(
        "() => fetch('/api/history?path=Typed.md').then((r) => r.json()).then(({ revisions }) =>"
        " revisions[0].by === 'Ann' && revisions[0].cause === 'typing' && revisions[0].added >= 4)"
    )


def test_any_two_versions_are_compared_and_one_restored_by_keys(
    visit: Visit, server: Server
) -> None:
    asked(server, "notes", {"path": "Compared.md", "content": "one\n\ntwo\n\nthree\n"})
    with connected(server.url) as claude:
        claude.call("read", file_path="Compared.md")
        claude.call("edit", file_path="Compared.md", old_string="one", new_string="first")
        claude.call("read", file_path="Compared.md")
        claude.call("edit", file_path="Compared.md", old_string="three", new_string="last")
    page = visit(f"#history!{quote('Compared.md')}")
    page.locator(".revision").nth(2).wait_for()
    assert page.locator(".revisions").evaluate("(list) => document.activeElement === list")
    page.locator(".detail ins", has_text="last").wait_for()
    assert page.locator(".detail ins").count() == 1
    number, words = page.locator(".detail .passage").first.locator("> *").all()
    assert (number.inner_text().split()[-1], words.inner_text().strip()) == ("5", "threelast")
    page.get_by_text("Compare with another").click()
    page.locator(".revisions").focus()
    page.keyboard.press("End")
    page.locator(".detail ins", has_text="first").wait_for()
    assert [each.strip() for each in page.locator(".detail ins").all_inner_texts()] == [
        "first",
        "last",
    ]
    assert faults(page) == []
    chosen = page.locator(".revision[aria-selected=true]")
    assert page.locator(".revisions").get_attribute("aria-activedescendant") == (
        chosen.get_attribute("id")
    )
    assert "created it" in (chosen.get_attribute("aria-label") or "")
    page.get_by_text("Stop comparing").click()
    page.get_by_text("Restore this version").click()
    page.locator(".message", has_text="Compared is as it was").wait_for()
    page.wait_for_function(
        "() => fetch('/api/note?path=Compared.md').then((r) => r.json())"
        ".then(({ text }) => text === 'one\\n\\ntwo\\n\\nthree\\n')"
    )


def test_the_list_is_filtered_and_holds_only_what_is_in_view(visit: Visit, server: Server) -> None:
    for number in range(40):
        folder = "Filtered/" if number % 2 else ""
        asked(server, "notes", {"path": f"{folder}Note {number}.md", "content": "x\n", "who": "Cy"})
    page = visit("#history", viewport={"width": 1360, "height": 600})
    page.locator(".revision").nth(5).wait_for()
    choose(page, "In", "Filtered")
    page.wait_for_function(
        "() => document.querySelector('.revisions .rows-all').clientHeight === 20 * 82"
    )
    assert page.locator(".revision").count() < 20
    choose(page, "What", "rename")
    page.get_by_text("Nothing of that kind has happened").wait_for()
    choose(page, "What", "create")
    page.locator(".revision").first.wait_for()


def test_authors_stand_in_the_text_with_who_accepted_them(visit: Visit, server: Server) -> None:
    asked(server, "notes", {"path": "Authors.md", "content": "The 😀 cat sat there.\n\nMine.\n"})
    with connected(server.url) as claude:
        claude.call("read", file_path="Authors.md")
        claude.call("edit", file_path="Authors.md", old_string="cat", new_string="dog")
    waiting = cast("Any", asked(server, "suggestions?path=Authors.md"))["suggestions"]
    chosen = [{"path": "Authors.md", "id": one["id"]} for one in waiting]
    asked(server, "review", {"decision": "accept", "suggestions": chosen, "who": "Ann"})
    page = visit("#note!Authors.md")
    page.locator(".cm-line", has_text="dog").wait_for()
    page.get_by_text("Who wrote what").click()
    word = page.locator(".other-author", has_text="dog")
    word.wait_for()
    assert word.inner_text() == "dog"
    assert "Claude (assistant)" in (word.get_attribute("title") or "")
    word.click()
    below = page.locator(".authors-below", has_text="accepted by Ann")
    below.wait_for()
    assert below.get_attribute("role") == "status"
    assert faults(page) == []
    page.get_by_text("Who wrote what").click()
    page.locator(".other-author").wait_for(state="detached")


def test_on_a_phone_a_version_takes_the_place_of_the_list(visit: Visit, server: Server) -> None:
    asked(server, "notes", {"path": "Phone.md", "content": "short\n"})
    page = visit("#history", viewport=PHONE, has_touch=True)
    page.locator(".revision", has_text="Phone").tap()
    page.locator(".detail ins", has_text="short").wait_for()
    assert not page.locator(".revisions").is_visible()
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"]
    page.get_by_role("button", name="Back").click()
    page.locator(".revisions").wait_for()
