"""The greeting of somebody who has opened nothing yet, and what it leads to."""

from pathlib import Path
from typing import Any

import pytest

from commonplace.server.api.clients import CLIENTS
from tests.web.test_page_shell import faults

pytestmark = pytest.mark.slow


def test_a_newcomer_is_greeted_and_tries_a_suggestion(
    visit: Any, serve: Any, tmp_path: Path
) -> None:
    server = serve(tmp_path, {"Start here.md": "# Start here\n"})
    page = visit(url=server.url)
    page.wait_for_selector(".welcome a[href='#note!Start%20here.md'] >> text=Read Start here")
    assert faults(page) == []
    page.click(".welcome >> text=Connect an assistant")
    page.wait_for_selector("dialog >> text=Goose")
    texts = page.locator("dialog pre").all_inner_texts()
    assert len(texts) == len(CLIENTS)
    assert all(str(server.vault) in text and "--state" in text for text in texts)
    line = f"commonplace connect CLIENT --write {server.vault} --state {server.state}"
    assert line in page.inner_text("dialog")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.click(".welcome >> text=Try a suggestion")
    page.wait_for_selector("h1 >> text=Try a suggestion")
    assert "{~~green~>blue~~}" in (server.vault / "Try a suggestion.md").read_text()
    page.wait_for_selector(".cm-content >> text=green")


def test_the_note_that_a_vault_begins_with_is_read_below_the_greeting(
    visit: Any, serve: Any, tmp_path: Path
) -> None:
    begin = "# Start here\n\nGo on with [[Second]], in {--red--}{++blue++}.\n"
    server = serve(tmp_path, {"Start here.md": begin, "Second.md": "# Two\n"})
    page = visit(url=server.url)
    page.wait_for_selector(".beginning h1 >> text=Start here")
    page.wait_for_selector(".beginning del >> text=red")
    page.wait_for_selector(".beginning ins >> text=blue")
    assert faults(page) == []
    page.click(".beginning a >> text=Second")
    page.wait_for_selector("h1 >> text=Second")


def test_where_something_waits_one_is_led_to_it(visit: Any) -> None:
    page = visit()
    page.click(".welcome >> text=Decide")
    page.wait_for_selector(".view h1 >> text=Review")


def test_who_has_read_something_is_not_greeted_again(visit: Any) -> None:
    page = visit("#note!Garden/Plan.md")
    page.wait_for_selector(".cm-content .cm-line")
    page.goto(page.url.split("#")[0] + "#")
    page.wait_for_selector("text=Open last")
    assert page.locator(".welcome").count() == 0
