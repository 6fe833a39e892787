"""A note of a megabyte with 2,000 suggestions, a tree of 100,000 notes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.serve import serving
from tests.web.test_page_editing import opened

pytestmark = pytest.mark.slow

_FRAME_MS_MAX = 100.0
_MEDIAN_MS_MAX = 17.5  # one frame at 60 a second, as a clock of 0.1 ms shows it
_TREE_NOTES = 100_000
_META = '{"author":"Claude","time":1794740000}@@'
_PARAGRAPH = "The quick brown fox jumps over the lazy dog while the rain falls on the plain. " * 5


def _big() -> str:
    return "".join(
        f"## Part {n}\n\n{_PARAGRAPH}{{--{_META}old {n}--}}{{++{_META}new {n}++}} and so on.\n\n"
        for n in range(2_000)
    )


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with serving(tmp_path, {"Big.md": _big()}) as found:
        yield found


def test_typing_in_a_megabyte_keeps_the_frame_rate(visit: Any) -> None:
    from tests.web.browser import shot

    assert len(_big()) > 1_000_000
    page = opened(visit, "Big.md")
    page.wait_for_selector(".suggestion")
    page.wait_for_timeout(500)
    shot(page, "big-note")
    page.click(".cm-line >> nth=3")
    page.wait_for_timeout(300)
    page.evaluate(
        """() => { window.gaps = []; let last = performance.now(); const tick = (now) => {
            window.gaps.push(now - last); last = now; requestAnimationFrame(tick) };
            requestAnimationFrame(tick) }"""
    )
    page.keyboard.type("some words that are typed at an even pace ", delay=50)
    gaps = sorted(page.evaluate("window.gaps"))
    assert gaps[len(gaps) // 2] <= _MEDIAN_MS_MAX, gaps[-10:]
    assert gaps[-1] < _FRAME_MS_MAX * 2, gaps[-10:]  # other tests share these processors
    assert gaps[int(len(gaps) * 0.99)] < _FRAME_MS_MAX, gaps[-10:]


def test_a_hundred_thousand_notes_stay_quick(visit: Any) -> None:
    from tests.web.browser import answer

    rows = [
        [f"Folder {n % 500:03}/Note {n:06}.md", 1_794_740_000_000, n % 3]
        for n in range(_TREE_NOTES)
    ]
    body = json.dumps({"version": "1", "notes": sorted(rows)})
    page = visit("#tags")
    answer(page, "**/api/tree", body)
    page.goto(page.url.partition("#")[0])
    page.reload()
    page.wait_for_selector(".tree-row >> text=Folder 000")
    assert page.locator(".tree-row").count() < 100
    page.click(".tree-row >> text=Folder 000")
    page.wait_for_selector(".tree-row >> text=Note 000000")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog.palette")
    page.keyboard.type("note 099999")
    page.wait_for_selector("[role=option][aria-selected=true] >> text=Note 099999")
    spent = page.evaluate(
        """async () => { const box = document.querySelector('.palette-input');
            const start = performance.now(); box.value = 'folder 42 note';
            box.dispatchEvent(new Event('input', {bubbles: true}));
            await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame);
            return performance.now() - start }"""
    )
    assert spent < 1000, spent
