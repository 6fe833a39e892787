"""The page by the clock: a first note painted, keys in a note of 1 MB, the graph of all notes.

    python -m bench.page VAULT [--note PATH] [--runs 10]

The goals are for obsidian-hub (6,571 notes) on a machine that does nothing else: a note painted 1 s
after its address is opened in a browser that knows nothing of it; 16 ms for a key, 95 times of 100;
the graph drawn and following the wheel after 2 s (here without a graphics card: the processor draws
each dot and line). The load stands beside each number, and the processor time, which a busy machine
changes less. The vault is only read; the long note is made of its notes, in a vault of its own.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, sleep
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

from tests.web.browser import browsing
from tests.web.build import build
from tests.web.serve import Server, serving
from tests.web.test_page_scale import Trace

LONG_CHARS = 1_000_000
WORDS = "some words that are typed at an even pace and then a few more of them "
_CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
# A frame after the one in which the first line stands, that line has been painted.
_PAINTED = """() => new Promise((done) => {
  const look = () => document.querySelector('.cm-content .cm-line')?.textContent
    ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look);
  look();
})"""


def tell(what: str, milliseconds: list[float], goal: float | None = None) -> None:
    """Print one line: median, 95th of 100, the most, and the load."""
    high = (
        quantiles(milliseconds, n=20, method="inclusive")[-1]
        if len(milliseconds) > 1
        else milliseconds[0]
    )
    aim = "" if goal is None else f", goal {goal:g}"
    numbers = f"median {median(milliseconds):.1f} ms, p95 {high:.1f}, most {max(milliseconds):.1f}"
    print(f"{what}: {numbers}{aim}; {len(milliseconds)} times, load {os.getloadavg()[0]:.1f}")


def opened(browser: Any, url: str, path: str) -> Any:
    """Open a note in a browser that has nothing of the page yet."""
    page = browser.new_context(viewport={"width": 1360, "height": 860}).new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{url}/#note!{quote(path).replace('!', '%21')}", wait_until="commit")
    return page


def wait_for_index(url: str) -> None:
    """Wait until the index knows every note as it is; notes are open to readers long before."""
    while True:
        with urlopen(f"{url}/api/status") as answer:
            if json.load(answer)["current"]:
                return
        sleep(0.2)


def measure_first_note(browser: Any, url: str, path: str, runs: int) -> None:
    """From the address to the first words of a note, each time with an empty cache."""
    times: list[float] = []
    for _ in range(runs):
        page = opened(browser, url, path)
        times.append(page.evaluate(_PAINTED))
        page.context.close()
    tell("first note painted", times, 1000)


def measure_keys(browser: Any, vault: Path, folder: Path) -> None:
    """From a key to its frame, in a note of a megabyte."""
    with serving(folder, {"Long.md": long_note(vault)}) as server:
        page = opened(browser, server.url, "Long.md")
        page.wait_for_selector(".state.live")
        page.click(".cm-line >> nth=3")
        page.keyboard.type(WORDS, delay=50)  # what is fetched with the first key is there now
        browser.start_tracing(page=page, categories=_CATEGORIES)
        page.keyboard.type(WORDS, delay=50)
        trace = Trace(browser.stop_tracing())
        page.context.close()
    tell("key, work until its frame, by the clock", trace.keys("dur"), 16)
    tell("key, work until its frame, processor time", trace.keys())


def long_note(vault: Path) -> str:
    """Join notes of a vault until there is a megabyte."""
    parts: list[str] = []
    length = 0
    for file in sorted(vault.rglob("*.md")):
        if length < LONG_CHARS:
            parts.append(file.read_text("utf-8", "replace"))
            length += len(parts[-1])
    return "\n\n".join(parts)


def measure_graph(browser: Any, url: str, runs: int) -> None:
    """From the way to the graph until it is drawn and has followed the wheel."""
    times: list[float] = []
    label = ""
    for _ in range(runs):
        page = _before_graph(browser, url)
        begun = perf_counter()
        _use_graph(page)
        times.append((perf_counter() - begun) * 1000)
        label = page.locator(".graph-top").get_attribute("aria-label") or ""
        page.context.close()
    tell(f"{label}, in use", times, 2000)
    page = _before_graph(browser, url)
    browser.start_tracing(page=page, categories=_CATEGORIES)  # by itself: it takes time as well
    _use_graph(page)
    work = sum(Trace(browser.stop_tracing()).tasks)
    tell("the same, processor time of the page's main thread", [work])


def _before_graph(browser: Any, url: str) -> Any:
    page = browser.new_context(viewport={"width": 1360, "height": 860}).new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{url}/#tags")
    page.wait_for_selector(".tree-row")
    return page


def _use_graph(page: Any) -> None:
    page.evaluate("location.hash = '#graph'")
    box = page.wait_for_selector(".graph-top[data-labels]").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -200)
    page.wait_for_selector(".graph-top[data-touched]")


def main() -> None:
    """Measure the three, and print what was seen."""
    asked = argparse.ArgumentParser(description="The page by the clock.")
    asked.add_argument("vault", type=Path)
    asked.add_argument("--note", default="README.md")
    asked.add_argument("--runs", type=int, default=10)
    given = asked.parse_args()
    build()
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        # What search by meaning learns in the first minutes would take one of two processors.
        server = Server(given.vault, Path(folder) / "read", "--read-only", "--embeddings", "none")
        server.start()
        try:
            print("While the vault is first read:", end=" ")
            measure_first_note(browser, server.url, given.note, 1)
            wait_for_index(server.url)
            measure_first_note(browser, server.url, given.note, given.runs)
            measure_graph(browser, server.url, given.runs)
        finally:
            server.stop()
        measure_keys(browser, given.vault, Path(folder))


if __name__ == "__main__":
    main()
