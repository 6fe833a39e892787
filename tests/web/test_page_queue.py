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
    assert page.locator(".queue-row").count() < 60
    page.evaluate(
        "const box = document.querySelector('.queue-rows'); box.scrollTop = box.scrollHeight"
    )
    page.wait_for_function("document.querySelectorAll('.queue-row').length > 0")
    assert page.locator(".queue-row").count() < 60


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
    assert f"{len(clause):,} characters: open the note to see all" in long.inner_text()
    assert f"{len(clause) - 2000:,} more characters" in long.inner_text()
    page = visit("#note!Hidden.md")
    page.wait_for_selector(".suggestion .diff")
    assert "<U+202E>001<U+202C>" in page.locator(".suggestion").inner_text()
