"""The graph of a large vault: generated, or a real one that `COMMONPLACE_LARGE` names."""

import os
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.web.build import build
from tests.web.serve import Server, serving
from tests.web.test_page_scale import Trace

pytestmark = [pytest.mark.slow, pytest.mark.timed]

_GENERATED = 3_000
_LARGE = os.environ.get("COMMONPLACE_LARGE", "")
# What the page's main thread works until the graph is drawn and follows the wheel. The clock says
# little here: others are at work, and dots and lines are drawn without a graphics processor.
_WORK_MS_MAX = 2_000.0
_CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]


def _generated() -> dict[str, str]:
    """Make notes in 12 folders that link to a few hubs, to neighbours, or not at all."""
    notes: dict[str, str] = {}
    for n in range(_GENERATED):
        links = "" if n % 10 == 0 else f"[[Note {n % 40}]] [[Note {(n * 7) % _GENERATED}]]"
        notes[f"Folder {n % 12}/Note {n}.md"] = f"# Note {n}\n\n{links} #tag{n % 15}\n"
    return notes


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    build()
    place: Path = tmp_path_factory.mktemp("large")
    if _LARGE:
        shutil.copytree(_LARGE, place / "vault")
    with serving(place, {} if _LARGE else _generated()) as found:
        yield found


# The view glides to where it was sent: what it shows is counted when thirty pictures were alike.
_STEADY_LABELS = """() => new Promise((done) => {
  let [last, alike] = ["", 0];
  const look = () => {
    const now = document.querySelector(".graph-top").dataset.labels;
    alike = now === last ? alike + 1 : 0;
    last = now;
    if (alike < 30) requestAnimationFrame(look);
    else done(Number(now));
  };
  look();
})"""


def test_the_graph_of_all_notes_is_at_hand(visit: Any, browser: Any) -> None:
    from tests.web.browser import shot

    page = visit("#tags")
    page.set_default_timeout(60_000)
    page.wait_for_selector(".tree-row")
    total = len(page.request.get(f"{page.url.partition('#')[0]}api/tree").json()["notes"])
    browser.start_tracing(page=page, categories=_CATEGORIES)
    page.evaluate("location.hash = '#graph'")
    page.wait_for_selector(".graph-top[data-labels]")
    box = page.locator(".graph-top").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -200)
    page.wait_for_selector(".graph-top[data-touched]")
    work = sum(Trace(browser.stop_tracing()).tasks)
    assert 0 < work < _WORK_MS_MAX
    label = page.locator(".graph-top").get_attribute("aria-label") or ""
    assert label.startswith(f"Graph of {total:,} notes")
    page.click("[aria-label='Show everything']")
    page.wait_for_selector(".graph-top[data-settled]")
    shot(page, "graph-large")
    few = page.evaluate(_STEADY_LABELS)
    counted: list[int] = []
    while len(counted) < 12 and max(counted, default=0) <= few:
        page.click("[aria-label='Zoom in']")
        counted.append(page.evaluate(_STEADY_LABELS))
    assert max(counted) > few, (few, counted)
    shot(page, "graph-large-zoomed")
