"""The review queue: filtered, chosen, decided, live, and long."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.notes import PLAN
from tests.web.serve import serving, write

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A vault with no more in it than is counted here."""
    notes = {"Garden/Plan.md": PLAN, "Other/Tea.md": "Green {++or white ++}tea.\n"}
    with serving(tmp_path_factory.mktemp("queue"), notes) as found:
        yield found


def test_the_queue_filters_chooses_decides_and_is_live(visit: Any, vault: Path) -> None:
    page, other = visit("#review!all"), visit("#review!all", "Boris")
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


def test_ten_thousand_suggestions_are_shown_a_screen_at_a_time(visit: Any, vault: Path) -> None:
    from tests.web.browser import shot

    rows = "".join(f"Row {n}: {{--old--}}{{++new++}} words.\n" for n in range(10_000))
    write(vault, {"Long.md": rows})
    page = visit("#review!all")
    page.wait_for_selector("[role=status] >> text=/10,00\\d/", timeout=20_000)
    page.locator(".queue-rows").focus()
    for _ in range(30):
        page.keyboard.press("j")
    shot(page, "long-queue")
    page.wait_for_function(
        "() => document.querySelector('.queue-row.current')?.id === 'pending-30'"
    )
    assert page.locator(".queue-row").count() < 200
    drawn = page.locator(".queue-row").count()
    page.evaluate(
        "const box = document.querySelector('.queue-rows'); box.scrollTop = box.scrollHeight"
    )
    page.wait_for_function(f"() => document.querySelectorAll('.queue-row').length > {drawn}")
    assert page.locator(".queue-row").count() < 400


def test_what_a_person_judges_is_seen_or_said_to_be_folded(visit: Any, vault: Path) -> None:
    hidden = "pay \u202e001\u202c euros"
    clause = "word " * 630 + "and pay Mallory."
    write(
        vault, {"Hidden.md": f"Please {{++{hidden}++}} now.\n", "Clause.md": f"{{++{clause}++}}\n"}
    )
    page = visit("#review!all")
    bidi = page.locator(".queue-row", has_text="Hidden")
    bidi.wait_for()
    assert "pay <U+202E>001<U+202C> euros" in bidi.inner_text()
    long = page.locator(".queue-row", has_text="Clause")
    long.wait_for()
    assert clause in long.inner_text()
    cut = "(row) => row.querySelector('.change').scrollHeight > row.querySelector('.change').clientHeight + 1"
    assert not long.evaluate(cut)
    page = visit("#note!Hidden.md")
    page.wait_for_selector(".suggestion .diff")
    assert "<U+202E>001<U+202C>" in page.locator(".suggestion").inner_text()


def test_hidden_lines_are_shown_before_they_are_accepted(visit: Any, vault: Path) -> None:
    lines = "".join(f"Line {number} of many.\n" for number in range(100))
    write(vault, {"Many/Lines.md": f"Start\n{{++{lines}++}}\n"})
    page = visit("#review!all")
    page.select_option("[aria-label=Folder]", "Many")
    row = page.locator(".queue-row", has_text="Lines")
    row.locator("text=60 more lines are hidden").wait_for()
    assert "Line 99" not in row.inner_text()
    page.locator(".queue-rows").focus()
    page.keyboard.press("a")
    page.wait_for_selector(".message >> text=Some lines of one suggestion were hidden")
    assert "Line 99 of many." in row.inner_text()
    assert "{++" in (vault / "Many/Lines.md").read_text()
    page.keyboard.press("a")
    page.wait_for_selector(".message >> text=Accepted 1 suggestion")


def test_one_opens_a_note_at_the_change_and_comes_back_to_the_same_place(
    visit: Any, vault: Path
) -> None:
    filler = "".join(f"Paragraph {number}.\n\n" for number in range(200))
    write(vault, {"Far/Away.md": f"{{++First.++}}\n\n{filler}The {{++distant ++}}end.\n"})
    page = visit("#review!all")
    page.select_option("[aria-label=Folder]", "Far")
    page.wait_for_selector("[role=status] >> text=2 suggestions")
    page.locator(".queue-rows").focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".cm-line >> text=distant")
    page.go_back()
    page.wait_for_selector("[role=status] >> text=2 suggestions")
    page.wait_for_function("() => document.querySelector('.queue-row.current')?.id === 'pending-1'")
    assert page.locator("[aria-label=Folder]").input_value() == "Far"
