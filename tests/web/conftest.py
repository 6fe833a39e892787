"""A built page, a browser, and a served vault for each test file."""

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.wait import PATIENCE
from tests.web.build import build
from tests.web.notes import NOTES
from tests.web.serve import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Visit = Callable[..., "Page"]
Serve = Callable[..., Server]


@pytest.fixture(scope="package")
def browser() -> Generator["Browser"]:
    """A browser for one file of tests after another.

    While it is open, its driver keeps an event loop in this process, in which no test of another
    package could start one of its own: it goes with the last test of this package in a row.
    """
    from tests.web.browser import browsing

    build()
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    build()
    with serving(tmp_path_factory.mktemp("served"), NOTES) as found:
        yield found


@pytest.fixture
def serve() -> Generator[Serve]:
    """Serve a vault for one test, until all its pages are closed: they may ask to the last."""
    with ExitStack() as servers:
        yield lambda *given: servers.enter_context(serving(*given))


@pytest.fixture
def visit(browser: "Browser", server: Server, serve: Serve) -> Generator[Visit]:
    """Open the page as somebody; at the end, nothing may have gone wrong in any page."""
    from tests.web.browser import Watch

    contexts: list[BrowserContext] = []
    watches: list[Watch] = []

    def open_page(
        place: str = "", name: str = "Ann", url: str = server.url, **options: object
    ) -> "Page":
        options.setdefault("viewport", {"width": 1360, "height": 860})
        context = browser.new_context(**options)  # pyright: ignore[reportArgumentType]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        naming = f"localStorage.setItem('commonplace.name', {name!r})"
        page.add_init_script(
            f"if (location.protocol.startsWith('http') && origin !== 'null') {naming}"
        )
        watches.append(Watch(page, url))
        page.goto(f"{url}/{place}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for watch in watches for fault in watch.faults] == []


@pytest.fixture
def vault(server: Server) -> Path:
    return server.vault
