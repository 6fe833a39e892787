"""`make picture`: films the real page while an assistant suggests and a person accepts.

Frames are written as PNG, each with the time that it is shown; `release/encode.py` joins them.
"""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import ViewportSize
from tests.web.assistant import Assistant, connected
from tests.web.browser import browsing
from tests.web.build import build
from tests.web.serve import serving

SIZE: ViewportSize = {"width": 1060, "height": 560}
NOTE = "Garden/Plan.md"
NOTES = {
    NOTE: """\
# Plan for spring

Sow the clover in may, when the soil is warm. It feeds the bees and the ground alike.

- Order seed from [[Hanna]]
- Turn the compost twice
- Ask the neighbours about the shared hose

The old apple tree should be cut down.
""",
    "Garden/Soil.md": "# Soil\n\nSandy, see [[Plan]].\n",
    "Garden/Bees.md": "# Bees\n\nThey love clover. See [[Plan]].\n",
    "People/Hanna.md": "# Hanna\n\nSells seed on Thursdays.\n",
    "Start here.md": "# Start here\n\nBegin with the [[Plan]].\n",
}
_ACCEPT = ".panel button.accept >> text=/^Accept$/"
_POINTER = """([x, y]) => {
  let dot = document.getElementById('pointer');
  if (!dot) {
    dot = document.createElement('div');
    dot.id = 'pointer';
    Object.assign(dot.style, { position: 'fixed', zIndex: 9999, width: '18px', height: '18px',
      borderRadius: '50%', background: 'rgba(200, 80, 30, .55)', pointerEvents: 'none',
      transform: 'translate(-50%, -50%)' });
    document.body.append(dot);
  }
  dot.style.left = `${x}px`;
  dot.style.top = `${y}px`;
}"""


class Film:
    """Takes pictures of a page, one after another."""

    def __init__(self, page: Any, folder: Path) -> None:
        self._page = page
        self._folder = folder
        self._times: list[int] = []

    def take(self, milliseconds: int) -> None:
        """Take a picture, to be shown for so long."""
        self._page.wait_for_timeout(250)  # what fades has faded
        file = self._folder / f"{len(self._times):03}.png"
        self._page.screenshot(path=file, animations="disabled", caret="hide")
        self._times.append(milliseconds)
        (self._folder / "times.json").write_text(json.dumps(self._times))

    def point(self, selector: str, milliseconds: int) -> None:
        """Move the pointer over something."""
        box = self._page.locator(selector).first.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self._page.mouse.move(x, y)
        self._page.evaluate(_POINTER, [x, y])
        self.take(milliseconds)


def main(frames: Path) -> None:
    """Film the scene, into a folder that is emptied before."""
    shutil.rmtree(frames, ignore_errors=True)
    frames.mkdir(parents=True)
    build()
    with (
        TemporaryDirectory() as folder,
        serving(Path(folder), NOTES) as server,
        browsing() as browser,
        connected(server.url, "Claude") as claude,
    ):
        page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
        page.add_init_script("localStorage.setItem('commonplace.name', 'Ada')")
        page.goto(f"{server.url}/#note!{NOTE}")
        page.wait_for_selector(".cm-content .cm-line")
        page.wait_for_load_state("networkidle")
        _play(page, claude, Film(page, frames))


def _play(page: Any, claude: Assistant, film: Film) -> None:
    film.take(1200)
    claude.call("read", file_path=NOTE)
    film.take(900)
    claude.call("edit", file_path=NOTE, old_string="may", new_string="May")
    page.wait_for_selector(".cm-ins >> text=May")
    film.take(1300)
    new = "should be pruned hard, not cut down: it flowered again last year"
    claude.call("edit", file_path=NOTE, old_string="should be cut down", new_string=new)
    page.wait_for_selector(".cm-ins >> text=pruned")
    film.take(2200)
    for words in ("May", "pruned"):
        film.point(_ACCEPT, 900)
        page.click(_ACCEPT)
        page.mouse.move(2, 2)
        page.wait_for_selector(f".cm-ins >> text={words}", state="detached")
        film.take(1400)
    film.take(2200)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
