"""Files of the vault in the page: hostile ones do nothing, new ones arrive, moved ones stay linked."""

from base64 import b64encode
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Route

from tests.vault.attachments.samples import png
from tests.wait import until
from tests.web.build import build
from tests.web.serve import Server, serving

_RUN = "document.documentElement.setAttribute('data-ran', '1')"
_SVG = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="{_RUN}">'
    f"<script>{_RUN}; fetch('/api/status')</script>"
    '<image href="http://far.invalid/x.png"/><foreignObject><iframe '
    f'xmlns="http://www.w3.org/1999/xhtml" srcdoc="&lt;script&gt;parent.{_RUN}&lt;/script&gt;"/>'
    "</foreignObject></svg>"
)
_HTML = f"<!doctype html><title>x</title><script>{_RUN}</script><img src=http://far.invalid/y>"
_FILES = {
    "evil.svg": _SVG,
    "evil.html": _HTML,
    "evil.xhtml": _HTML,
    "evil.xml": f'<?xml version="1.0"?><x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>{_RUN}</h:script></x>',
    "evil.js": _RUN,
    "evil.png": _HTML,
    "evil.txt": _HTML,
    "evil.css": "* { background: url(http://far.invalid/z) }",
}
_NOTES = {
    "Hostile.md": "# Hostile\n\n" + "\n\n".join(f"![[{n}]] ![]({n}) [[{n}]]" for n in _FILES),
    "Paste.md": "# Paste\n\nHere: \n",
    "Away.md": "# Away\n\nHere: \n",
    "Linked.md": "# Linked\n\n![[old name.png]]\n",
    ".obsidian/app.json": '{"attachmentFolderPath": "files"}',
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    build()
    folder = tmp_path_factory.mktemp("files")
    (folder / "vault").mkdir()
    (folder / "vault" / "old name.png").write_bytes(png(20, 20))
    with serving(folder, {**_NOTES, **_FILES}) as found:
        yield found


def test_hostile_files_do_nothing_where_they_are_embedded(visit: Any) -> None:
    page = visit("#note!Hostile.md")
    page.click(".segmented button:has-text('Read')")
    page.wait_for_selector(".prose[data-ready]")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.prose img')].every((i) => i.complete)"
    )
    assert page.locator("[data-ran]").count() == 0
    assert page.locator(".prose :is(script, style, iframe, object, embed, svg)").count() == 0


@pytest.mark.parametrize("name", sorted(_FILES))
def test_a_hostile_file_that_is_opened_by_itself_runs_nothing(
    browser: Browser, server: Server, name: str
) -> None:
    page = browser.new_page()
    refused: list[str] = []
    loaded: list[str] = []
    page.on("requestfailed", lambda request: refused.append(request.url))
    page.on("response", lambda response: loaded.append(response.url))
    url = f"{server.url}/api/file?path={name}"
    if name in ("evil.svg", "evil.png", "evil.txt"):
        page.goto(url)
        page.wait_for_load_state("load")
        assert page.locator("[data-ran]").count() == 0
        assert page.evaluate("() => self.origin") == "null"
        assert loaded == [url]
    else:
        with page.expect_download() as saved, suppress(Error):
            page.goto(url)  # what is saved is not shown: going there is broken off
        assert saved.value.suggested_filename == name
    assert refused in ([], ["http://far.invalid/x.png"], [url])
    page.close()


def _carelessly(route: Route) -> None:
    route.fulfill(body=_SVG, content_type="image/svg+xml")


def test_the_same_svg_sent_without_care_would_run(browser: Browser, server: Server) -> None:
    page = browser.new_page()
    page.route("**/api/file*", _carelessly)
    page.goto(f"{server.url}/api/file?path=evil.svg")
    page.wait_for_selector("[data-ran]", state="attached")
    page.close()


_GIVE = """([kind, name, data]) => {
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
    const carried = new DataTransfer();
    carried.items.add(new File([bytes], name, { type: 'image/png' }));
    const target = document.querySelector('.cm-content');
    const place = target.querySelector('.cm-line:nth-child(3)').getBoundingClientRect();
    const event = kind === 'paste'
        ? new ClipboardEvent('paste', { clipboardData: carried, bubbles: true, cancelable: true })
        : new DragEvent('drop', { dataTransfer: carried, bubbles: true, cancelable: true,
                                  clientX: place.left + 80, clientY: place.top + 8 });
    target.dispatchEvent(event);
}"""


def _give(page: Any, kind: str, name: str, data: bytes) -> None:
    page.click(".cm-line:has-text('Here:')")
    page.keyboard.press("End")
    page.evaluate(_GIVE, [kind, name, b64encode(data).decode()])


def test_a_picture_that_is_pasted_or_dropped_is_saved_linked_and_shown(
    visit: Any, server: Server
) -> None:
    page = visit("#note!Paste.md")
    page.wait_for_selector(".cm-line:has-text('Here:')")
    page.wait_for_load_state("load")
    _give(page, "paste", "image.png", png(33, 22))
    page.wait_for_selector(".cm-line:has-text('![[Pasted image')")
    _give(page, "drop", "photo.png", png(44, 22))
    page.wait_for_selector(".cm-line:has-text('![[photo.png]]')")
    assert (server.vault / "files" / "photo.png").read_bytes() == png(44, 22)
    assert len(list((server.vault / "files").glob("Pasted image *.png"))) == 1
    page.click(".segmented button:has-text('Read')")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.prose img')].map((i) => i.naturalWidth).sort().join() === '33,44'"
    )
    page.evaluate(
        _GIVE.replace(".cm-content", ".prose").replace(".cm-line:nth-child(3)", "p"),
        ["paste", "no.png", ""],
    )
    assert not (server.vault / "files" / "no.png").exists()


def test_a_picture_that_is_pasted_while_the_server_is_away_arrives_later(
    visit: Any, server: Server
) -> None:
    page = visit("#note!Away.md")
    page.wait_for_selector(".cm-line:has-text('Here:')")
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(({ name }) => /\\/missing-/.test(name))"
    )
    page.context.set_offline(True)
    _give(page, "paste", "image.png", png(55, 22))
    page.wait_for_selector(".cm-line:has-text('![[Pasted image')")
    assert len(png(55, 22)) not in _sizes(server.vault / "files")
    page.context.set_offline(False)
    until(lambda: _sizes(server.vault / "files").count(len(png(55, 22))) == 1)
    page.click(".segmented button:has-text('Read')")
    page.wait_for_function(
        "() => document.querySelector('.prose img')?.naturalWidth === 55", timeout=30_000
    )


def _sizes(folder: Path) -> list[int]:
    return [file.stat().st_size for file in folder.glob("*.png")] if folder.exists() else []


def test_a_file_is_renamed_from_the_panel_and_its_link_follows(visit: Any, server: Server) -> None:
    page = visit("#note!Linked.md")
    page.wait_for_selector(".cm-line:has-text('old name.png')")
    page.click("#tab-links")
    page.click(".links .file button:has-text('Rename')")
    page.fill(".modal input", "art/new name.png")
    page.click(".modal button.primary")
    page.wait_for_selector(".cm-line:has-text('![[new name.png]]')")
    assert (server.vault / "art" / "new name.png").exists()
    page.click(".message button:has-text('Undo')")
    page.wait_for_selector(".cm-line:has-text('![[old name.png]]')")
    assert (server.vault / "old name.png").exists()
