"""A site in a real browser, straight from its folder: read, follow links, search, see the graph."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.web.build import ROOT, build
from tests.web.test_page_shell import faults

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build()
    folder = tmp_path_factory.mktemp("site")
    words = ("site", str(ROOT / "demo"), str(folder), "--title", "The guide")
    subprocess.run([sys.executable, "-m", "commonplace", *words], check=True, capture_output=True)
    return folder


def test_the_guide_is_read_from_a_folder(browser: Any, site: Path) -> None:
    from tests.web.browser import Watch, shot

    page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
    page.set_default_timeout(10_000)
    watch = Watch(page, "file://")
    page.goto(f"file://{site}/index.html")
    page.wait_for_selector("article h1 >> text=Start here")
    shot(page, "site")
    page.click("article a >> text=Suggestions")
    page.wait_for_selector("article h1 >> text=Suggestions")
    assert "/notes/Guide/Suggestions.html" in page.url
    page.click("[aria-label='What links here'] a >> text=Start here")
    page.wait_for_selector("article h1 >> text=Start here")
    page.fill("input[type=search]", "zettelkasten slip")
    page.click(".site-hits a >> text=Zettelkasten")
    page.wait_for_selector("article h1 >> text=Zettelkasten")
    page.click("nav > a >> text=Graph")
    page.wait_for_selector(".site-graph.whole canvas")
    page.wait_for_function("() => document.querySelector('canvas').width > 0")
    assert page.locator("details li a").count() > 50
    assert watch.faults == []


def test_pictures_are_shown_in_a_note_and_in_one_that_it_embeds(
    browser: Any, tmp_path: Path
) -> None:
    vault, site = tmp_path / "vault", tmp_path / "site"
    (vault / "img").mkdir(parents=True)
    for name in ("a b.png", "c.png"):
        shutil.copyfile(ROOT / "src/commonplace/server/mcp/direct/icon.png", vault / "img" / name)
    (vault / "Start here.md").write_text("# Start here\n\n![one](img/a%20b.png)\n\n![[Other]]\n")
    (vault / "Other.md").write_text("# Other\n\n![[c.png|40]] ![[gone.png]]\n")
    build()
    words = ("site", str(vault), str(site))
    subprocess.run([sys.executable, "-m", "commonplace", *words], check=True, capture_output=True)
    page = browser.new_page()
    page.goto(f"file://{site}/notes/Start%20here.html")
    page.wait_for_function(
        "() => [...document.querySelectorAll('article img')].filter((each) => each.naturalWidth).length === 2"
    )
    assert page.locator("article >> text=Not found: gone.png").count() == 1
    assert page.locator("article img >> nth=1").get_attribute("width") == "40"


def test_everybody_can_use_it(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto(f"file://{site}/notes/Guide/Links.html")
    page.wait_for_selector("article h1 >> text=Links")
    assert faults(page) == []


def test_a_link_to_a_heading_leads_there(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto(f"file://{site}/notes/FAQ.html")
    page.click("article a >> text=One owner")
    page.wait_for_selector("article h1 >> text=Where state lives")
    assert page.url.endswith("#one-owner")
    assert page.locator("#one-owner").count() == 1


def test_a_link_to_a_place_in_a_note_leads_to_one_that_is_there(browser: Any, site: Path) -> None:
    texts = {file: file.read_text("utf-8") for file in (ROOT / "demo").rglob("*.md")}
    places = re.compile(r"\[\[[^\]|]*[#^]|\.md#")
    page = browser.new_page()
    wanted: dict[str, set[str]] = {}
    for file in sorted(file for file, text in texts.items() if places.search(text)):
        name = file.relative_to(ROOT / "demo").with_suffix(".html")
        page.goto(f"file://{site}/notes/{quote(str(name))}")
        page.wait_for_selector("article h1")
        links = "[...document.querySelectorAll('article a[href*=\"#\"]')].map((link) => link.href)"
        for link in page.evaluate(links):
            address, _, place = link.partition("#")
            if place:
                wanted.setdefault(address, set()).add(unquote(place))
    assert any(place.startswith("^") for places in wanted.values() for place in places), "blocks"
    dead: list[tuple[str, str]] = []
    for address, places in wanted.items():
        page.goto(address)
        page.wait_for_selector("article h1")
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
        dead += [(address, place) for place in places - set(ids)]
    assert dead == []
    assert len(wanted) > 5


def test_without_scripts_the_words_and_links_are_there(browser: Any, site: Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"file://{site}/index.html")
    page.click("noscript a >> text=Glossary")
    assert "Glossary" in page.inner_text("body")
