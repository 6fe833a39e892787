"""Debian's Chromium, driven by Playwright; it is installed if that can be done.

The one without a window is preferred: a page takes two thirds of the processor time in it.
"""

import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, Route, sync_playwright

from tests.debian import install_missing

ARTEFACTS = Path(__file__).parents[2] / "artefacts"
_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_FONTS = ("fonts-droid-fallback", "fonts-noto-color-emoji")  # small ones; else pictures show boxes
_ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--mute-audio",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--force-color-profile=srgb",
]


def executable() -> str:
    """Find a Chromium; as root on Debian, install one, and fonts for every script."""
    for package in ("chromium-headless-shell", "chromium"):
        install_missing(lambda package=package: [] if _find() else [package])
    install_missing(lambda: [] if _has_fonts() else [*_FONTS])
    if (found := _find()) is None:
        pytest.fail("The page's tests need Chromium: apt-get install chromium", pytrace=False)
    return found


def _find() -> str | None:
    return next(filter(None, map(shutil.which, _NAMES)), None)


def _has_fonts() -> bool:
    listing = shutil.which("fc-list")
    if listing is None:
        return False
    found = subprocess.run([listing, ":lang=ja", "family"], capture_output=True, text=True)
    return bool(found.stdout.strip())


@contextmanager
def browsing() -> Generator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What went wrong in a page: errors, dialogs, requests to elsewhere, refusals by the policy."""

    def __init__(self, page: Page, origin: str) -> None:
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("dialog", self._dismiss)
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("request", lambda request: self._see(request.url, origin))

    def _dismiss(self, dialog: Dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error" and "Failed to load resource" not in text and "WebSocket" not in text:
            self.faults.append(f"console: {text}")

    def _see(self, url: str, origin: str) -> None:
        ours = (origin, origin.replace("http", "ws", 1), "data:", "blob:")
        if not url.startswith(ours):
            self.faults.append(f"request: {url}")


def answer(page: Page, address: str, body: str) -> None:
    """Answer a request of the page's with this JSON."""

    def fulfil(route: Route) -> None:
        route.fulfill(body=body, content_type="application/json")

    page.route(address, fulfil)


def has_all_keys(page: Page) -> None:
    """Wait until the editor knows all its keys: some come after a note is open."""
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some((each) => /extras-/.test(each.name))"
    )
    page.wait_for_function(
        "() => document.querySelector('.cm-content').getAttribute('aria-autocomplete')"
    )


# What a view shows once it has what it asked for, in the vault of the tests.
_SHOWN = {
    "": ".home h1",
    "#review": ".set-row",
    "#review!all": ".queue-row",
    "#search!bees": ".hits li",
    "#search!alert": ".hits li",
    "#set!0": "main",
    "#tags": "button.tag",
    "#approvals": "main:has(h1:text-is('Approvals')) .calm",
    "#graph": ".whole-graph canvas[data-settled]",
    "#trash": ".trash [role=status]:text-matches('note')",
}


def come_to(page: Page, place: str) -> None:
    """Open a view, and wait until it has everything and nothing moves any more."""
    page.evaluate("place => { location.hash = place }", place)
    page.wait_for_selector(_SHOWN.get(place, ".note-head h1"))
    at_rest(page)


def graph_at_rest(page: Page) -> None:
    """Wait until the notes of a graph have found their places, and are drawn there."""
    page.wait_for_selector(".graph canvas[data-settled]")
    at_rest(page)


_MOVES = "each.playState === 'running' && each.effect.getComputedTiming().iterations !== Infinity"


def at_rest(page: Page) -> None:
    """Wait until nothing moves in a page but what moves for ever, and the rest is drawn."""
    page.wait_for_function(f"() => !document.getAnimations().some((each) => {_MOVES})")
    page.evaluate(
        "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
    )


_SEEN_MS_MIN = 100
# Offered, selected, and neither changed nor greyed out, as it is while more is looked for, since.
_OFFERED = """([option, least]) => {
    const list = document.querySelector('.cm-tooltip-autocomplete');
    const chosen = list?.querySelector('[aria-selected]')?.textContent ?? '';
    const open = chosen.includes(option) && !list.matches('.cm-tooltip-autocomplete-disabled');
    window.offeredSince = open ? window.offeredSince ?? Date.now() : undefined;
    return open && Date.now() - window.offeredSince > least;
}"""


def choose(page: Page, option: str) -> None:
    """Take an option that is offered: the editor takes none that was not seen for a moment."""
    page.wait_for_function(_OFFERED, arg=[option, _SEEN_MS_MIN])
    page.evaluate("delete window.offeredSince")
    page.keyboard.press("Enter")


def shot(page: Page, name: str) -> None:
    """Save a picture of the page among the artefacts."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png")
