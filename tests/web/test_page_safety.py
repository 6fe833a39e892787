"""The page and hostile text: nothing runs, nothing is loaded from elsewhere."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from commonplace.server.api import page as served
from tests.web.attacks import ATTACKS
from tests.web.browser import come_to
from tests.web.build import STATIC, WEB, build
from tests.web.serve import serving

_NAME_CHARS_MAX = 60


def _name(number: int, attack: str) -> str:
    """A file name that is the attack, as far as a file can be called that."""
    fit = "".join(char if char.isprintable() and char not in "/\\" else "\u2044" for char in attack)
    return f"Hostile/{number:03} {fit[:_NAME_CHARS_MAX]}.md"


def _note(number: int, attack: str) -> str:
    """A note whose text, title, tags, properties, headings, authors and remarks are one attack."""
    quoted = json.dumps(attack)
    author = quoted.replace("{", "\\u007b").replace("}", "\\u007d").replace("@", "\\u0040")
    meta = f'{{"author":{author}}}@@'
    plain = attack.replace("{", "").replace("}", "")
    return (
        f"---\ntitle: {quoted}\ntags: [{quoted}]\nkey: {quoted}\n{quoted}: x\n---\n"
        f"# {attack}\n\n{attack}\n\nsome {{--{meta}old--}}{{++{meta}{plain}++}} text"
        f" {{>>{plain}<<}} {{=={plain}==}}\n\nThe end of {number:03}.\n"
    )


def _more() -> tuple[str, ...]:
    """Attacks that others collected, for those who have them: a JSON list in a file."""
    named = os.environ.get("COMMONPLACE_ATTACKS")
    found: list[str] = json.loads(Path(named).read_text("utf-8")) if named else []
    return tuple(each.replace("\0", "\ufffd").replace("\r", "\n") for each in found)


_ALL = (*ATTACKS, *_more())
_NOTES = {_name(number, attack): _note(number, attack) for number, attack in enumerate(_ALL)}
# A frame, a player or a box is there only if the page made it itself, for a file or a task.
_FORBIDDEN = (
    "script, iframe, form, style, link, meta, base, object, embed, svg, video, audio, source,"
    " button:not(.copy), input:not(.task-box), math:not(.math math)"
)
_HANDLED = """() => [...document.querySelectorAll('.prose *, .cm-content *, .sidebar *, .panel *')]
    .filter((each) => [...each.attributes].some(({name, value}) => /^on/i.test(name) || !name.startsWith('data-') && !['title', 'alt', 'aria-label'].includes(name) && /^\\s*(javascript|vbscript|data:text)/i.test(value)))
    .map((each) => each.outerHTML)"""


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with serving(tmp_path, _NOTES) as found:
        yield found


@pytest.mark.slow
def test_hostile_texts_names_tags_properties_and_authors_do_nothing(visit: Any) -> None:
    assert len(set(ATTACKS)) >= 150
    page = visit()
    page.wait_for_selector(".tree-row")
    for number, path in enumerate(_NOTES):
        page.evaluate(
            "path => { location.hash = '#note!' + encodeURIComponent(path).replaceAll('!', '%21') }",
            path,
        )
        if number == 0:
            page.wait_for_selector(".cm-content .cm-line")
            page.click("summary[aria-label=More]")
            page.click("text=Preview beside")
        page.wait_for_function(
            "path => document.querySelector('.prose[data-ready]')?.dataset.path === path",
            arg=path,
        )
        assert page.locator(f".prose :is({_FORBIDDEN}), .prose [style]").count() == 0, path
        assert page.evaluate(_HANDLED) == [], path
    for place in ("#review", "#set!0", "#tags", "#search!alert", "#graph", ""):
        come_to(page, place)
    page.evaluate("location.hash = '#tags'")
    page.wait_for_selector("button.tag")
    page.evaluate("location.hash = '#review!all'")
    page.wait_for_selector(".queue-row")
    for _ in range(len(ATTACKS) // 5):  # every author and every name comes by
        page.evaluate("document.querySelector('.queue-rows').scrollTop += 520")
    page.keyboard.press("Control+k")
    page.keyboard.type("0")
    page.wait_for_selector("[role=option] >> nth=40")


def test_an_installation_without_the_page_says_so(tmp_path: Path) -> None:
    client = TestClient(Starlette(routes=served.routes(tmp_path)))
    answer = client.get("/")
    assert answer.status_code == 503
    assert "carries no page" in answer.text
    assert client.get("/assets/x.js").status_code == 404


def test_the_policy_allows_no_inline_script_and_a_new_nonce_each_time(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "main-1.js").write_text("1")
    (tmp_path / "index.html").write_text('<meta name="csp-nonce" content="NONCE">')
    client = TestClient(Starlette(routes=served.routes(tmp_path)))
    policies = {client.get("/").headers["content-security-policy"] for _ in range(3)}
    assert len(policies) == 3
    assert all("script-src 'self';" in policy for policy in policies)
    assert not any("unsafe" in policy for policy in policies)
    script = client.get("/assets/main-1.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert client.get("/assets/..%2findex.html").status_code == 404


@pytest.mark.slow
def test_licences_of_everything_that_was_bundled_are_told() -> None:
    build()
    told = (STATIC / "licences.txt").read_text("utf-8")
    locked = json.loads((WEB / "package-lock.json").read_text("utf-8"))["packages"]
    direct = locked[""]["dependencies"]
    for place, package in locked.items():
        name = place.removeprefix("node_modules/")
        if place and (name in direct or f"\n{name} " in told):
            after = told.partition(f"{name} {package['version']} ({package['license']})\n")[2]
            terms = ("ermission", "LICENSE", "Redistribution and use")
            assert any(each in after[:2000] for each in terms), name
    fonts = {file.name.partition("-latin")[0] for file in (STATIC / "assets").glob("*.woff2")}
    assert fonts == {"inter", "source-serif-4", "stix-two-math"}
    assert told.count("SIL OPEN FONT LICENSE Version 1.1") == len(fonts)
