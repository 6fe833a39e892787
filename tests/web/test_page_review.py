"""Reviewing: inline, in the panel, in the queue; and suggesting as a person."""

from pathlib import Path
from typing import Any

import pytest

from commonplace.core import critic
from tests.web.notes import PLAN
from tests.web.serve import Server, serving, write
from tests.web.test_page_editing import eventually, opened

pytestmark = pytest.mark.slow
_PATH = "Garden/Plan.md"


@pytest.fixture
def server(tmp_path: Path) -> Any:
    """A fresh vault for each test: decisions change it."""
    with serving(tmp_path, {_PATH: PLAN, "Other/Tea.md": "Green {++or white ++}tea.\n"}) as found:
        yield found


def text(vault: Path) -> str:
    return (vault / _PATH).read_text("utf-8")


def test_a_suggestion_is_accepted_by_key_and_undone(visit: Any, vault: Path) -> None:
    page = opened(visit, _PATH)
    page.click(".cm-line >> text=cut down only")
    page.wait_for_selector(".suggestion-card >> text=Claude")
    page.keyboard.press("Control+Enter")
    eventually(vault / _PATH, "\nThe old apple tree should be pruned")
    page.wait_for_selector(".message >> text=Accepted 1 suggestion")
    page.click(".message >> text=Undo")
    page.wait_for_selector(".cm-del >> text=cut down")
    eventually(vault / _PATH, "@@The old apple tree should be pruned")
    assert text(vault) == PLAN


def test_one_goes_through_a_note_by_keys_alone(visit: Any, vault: Path) -> None:
    page = opened(visit, _PATH)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("F8")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".message >> text=Accepted")
    page.keyboard.press("F8")
    page.keyboard.press("Control+Backspace")
    page.wait_for_selector(".message >> text=Rejected")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=Nothing is suggested in this note.")
    eventually(vault / _PATH, "Beans and nasturtiums by")
    assert "We sow sugar peas in" in text(vault)
    assert "\nThe old apple tree should be cut down this winter.\n" in text(vault)


def test_the_panel_decides_one_or_all(visit: Any, vault: Path) -> None:
    page = opened(visit, _PATH)
    page.locator(".suggestion", has_text="nasturtiums").locator(".reject").click()
    eventually(vault / _PATH, "- Beans by the fence")
    page.click("button:has-text('Accept all 2')")
    page.wait_for_selector("text=Nothing is suggested in this note.")
    eventually(vault / _PATH, "We sow sugar peas")
    assert critic.suggestions(text(vault)) == []


def test_the_queue_filters_chooses_decides_and_is_live(visit: Any, vault: Path) -> None:
    page, other = visit("#review"), visit("#review", "Boris")
    for each in (page, other):
        each.wait_for_selector(".queue-row")
        assert each.locator(".queue-row").count() == 4
    page.select_option("[aria-label=Author]", "Claude")
    page.wait_for_selector("[role=status] >> text=2 suggestions")
    page.click("label.check input")
    page.fill("[aria-label^='Reason']", "well said")
    page.click(".bulk >> text=Accept")
    page.wait_for_selector(".message >> text=Accepted 2 suggestions")
    other.wait_for_selector("[role=status] >> text=2 suggestions")
    page.click(".message >> text=Undo")
    other.wait_for_selector("[role=status] >> text=4 suggestions")
    other.locator(".queue-rows").focus()
    for key in ("j", "x", "j", "x", "r"):
        other.keyboard.press(key)
    other.wait_for_selector(".message >> text=Rejected 2 suggestions")
    page.select_option("[aria-label=Author]", "")
    page.wait_for_selector("[role=status] >> text=2 suggestions")


def test_two_reviewers_who_race_lose_no_text(visit: Any, server: Server, vault: Path) -> None:
    one, other = opened(visit, _PATH), opened(visit, _PATH, "Boris")
    for page in (one, other):
        page.click(".cm-line >> text=We sow")
        page.keyboard.press("Control+Home")
        page.keyboard.press("F8")
    one.keyboard.press("Control+Enter")
    other.keyboard.press("Control+Backspace")
    one.wait_for_selector(".message >> text=Accepted")
    eventually(vault / _PATH, "peas in the first")
    decided = text(vault)
    assert ("We sow sugar peas in" in decided) != ("We sow peas in" in decided)


def test_typing_never_tears_a_marker(visit: Any, vault: Path) -> None:
    page = opened(visit, _PATH)
    page.click(".cm-line >> text=by the fence")
    page.keyboard.press("Home")
    for _ in range(len("- Beans and nasturtiums") + 1):  # one step is over the hidden marker
        page.keyboard.press("ArrowRight")
    for _ in range(len("nasturtiums")):
        page.keyboard.press("Backspace")
    page.keyboard.type("peas")
    eventually(vault / _PATH, "@@ and peas++} by the fence")
    page.keyboard.press("Shift+Home")
    page.keyboard.press("Backspace")
    page.wait_for_selector(".state.saved")
    left = [row for row in critic.suggestions(text(vault)) if row.author == "Maria"]
    assert len(critic.suggestions(text(vault))) in (2, 3)
    assert "{++{" not in critic.accepted(text(vault))
    assert len(left) <= 1


def test_copying_copies_what_would_be_accepted(visit: Any) -> None:
    page = opened(visit, _PATH, permissions=["clipboard-read", "clipboard-write"])
    page.click(".cm-line >> text=by the fence")
    page.keyboard.press("Home")
    page.keyboard.press("Shift+End")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == "- Beans and nasturtiums by the fence"


def test_a_person_suggests_by_typing(visit: Any, vault: Path) -> None:
    page = opened(visit, _PATH)
    page.click(".segmented button:has-text('Suggest')")
    page.click(".cm-line >> text=Tomatoes along")
    page.keyboard.press("End")
    page.keyboard.type(" and peppers")
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+Shift+ArrowRight")
    page.keyboard.type("Plums")
    eventually(vault / _PATH, "Plums")
    page.wait_for_selector(".state.saved")
    page.wait_for_timeout(700)
    mine = [row for row in critic.suggestions(text(vault)) if row.author == "Ann"]
    assert [(row.old.strip(), row.new) for row in mine] == [
        ("Tomatoes", "Plums"),
        ("", " and peppers"),
    ]
    assert critic.base(text(vault)) == critic.base(PLAN)


def test_ten_thousand_suggestions_are_shown_a_screen_at_a_time(visit: Any, vault: Path) -> None:
    from tests.web.browser import shot

    rows = "".join(f"Row {n}: {{--old--}}{{++new++}} words.\n" for n in range(10_000))
    write(vault, {"Long.md": rows})
    page = visit("#review")
    page.wait_for_selector("[role=status] >> text=/10,004/", timeout=20_000)
    page.locator(".queue-rows").focus()
    for _ in range(30):
        page.keyboard.press("j")
    shot(page, "long-queue")
    assert page.locator(".queue-row").count() < 60
    page.evaluate(
        "const box = document.querySelector('.queue-rows'); box.scrollTop = box.scrollHeight"
    )
    page.wait_for_function("document.querySelectorAll('.queue-row').length > 0")
    assert page.locator(".queue-row").count() < 60
