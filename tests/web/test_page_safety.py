"""The page and hostile text: nothing runs, nothing is loaded from elsewhere."""

from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from commonplace.server import page as served
from tests.web.serve import serving

_ATTACKS = 150
_PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](http://evil.invalid/pixel.png)",
    "![x](//evil.invalid/pixel.png)",
    "<a href='vbscript:alert(1)'>x</a>",
    "<form action=http://evil.invalid><input name=a><button>x</button></form>",
    "<style>@import 'http://evil.invalid/x.css'; * {background: url(http://evil.invalid/y)}</style>",
    "<link rel=stylesheet href=http://evil.invalid/z.css>",
    "<meta http-equiv=refresh content='0;url=http://evil.invalid'>",
    "<base href=http://evil.invalid/>",
    "<object data=http://evil.invalid></object><embed src=http://evil.invalid>",
    "<video src=http://evil.invalid/v autoplay onerror=alert(1)></video>",
    "<math><mtext><table><mglyph><style><!--</style><img src=x onerror=alert(1)>",
    "<div style='background:url(http://evil.invalid/s)'>x</div>",
    "<details open ontoggle=alert(1)>x</details>",
    "<x onclick=alert(1) tabindex=1 onfocus=alert(1) autofocus>y</x>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "{{constructor.constructor('alert(1)')()}}",
    "[[<img src=x onerror=alert(1)>]]",
    "[[x|<img src=x onerror=alert(1)>]]",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<a href=http://evil.invalid ping=http://evil.invalid/ping>x</a>",
    "<img srcset='http://evil.invalid/1 1x, http://evil.invalid/2 2x'>",
)


def _hostile() -> dict[str, str]:
    """150 notes whose text, properties, tags, names and authors are attacks."""
    notes: dict[str, str] = {}
    for number, attack in enumerate(islice(cycle(_PAYLOADS), _ATTACKS)):
        quoted = attack.replace("\\", "\\\\").replace('"', '\\"')
        author = quoted.replace("{", "\\u007b").replace("}", "\\u007d").replace("@", "\\u0040")
        notes[f"Hostile/{number:03}.md"] = (
            f'---\ntitle: "{quoted}"\ntags: ["{quoted}"]\nkey: "{quoted}"\n---\n# {attack}\n\n'
            f'{attack}\n\nsome {{--{{"author":"{author}"}}@@old--}}'
            f'{{++{{"author":"{author}"}}@@{attack.replace("{", "").replace("}", "")}++}} text\n'
        )
    notes["Hostile/<img src=x onerror=alert(1)>.md"] = "# Name\n"
    everything = "\n\n".join(_PAYLOADS)
    notes["All.md"] = f"{everything}\n\n{' '.join(f'[[{n:03}]]' for n in range(20))}\n"
    return notes


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with serving(tmp_path, _hostile()) as found:
        yield found


@pytest.mark.slow
def test_hostile_texts_names_tags_properties_and_authors_do_nothing(visit: Any) -> None:
    page = visit()
    page.wait_for_selector(".tree-row")
    for number in range(0, _ATTACKS, 5):
        page.evaluate("n => { location.hash = `#note!Hostile/${n}.md` }", f"{number:03}")
        page.wait_for_selector(f"h1 >> text={number:03}")
        page.wait_for_selector(".state.live")
    page.click(".segmented button:has-text('Read')")
    for number in range(_ATTACKS // 5):
        page.evaluate("n => { location.hash = `#note!Hostile/${n}.md` }", f"{number:03}")
        page.wait_for_selector(f"h1 >> text={number:03}")
        page.wait_for_selector(".prose :is(h1, p)", state="attached")
    page.evaluate("location.hash = '#note!All.md'")
    page.wait_for_selector(".prose a")
    assert (
        page.locator(
            ".prose :is(script, iframe, form, style, link, meta, base, object, embed, svg, video)"
        ).count()
        == 0
    )
    assert page.locator(".prose [style], .prose [onerror], .prose [onclick]").count() == 0
    for place in ("#review", "#tags", "#search!alert", ""):
        page.evaluate("place => { location.hash = place }", place)
        page.wait_for_timeout(400)
    page.keyboard.press("Control+k")
    page.keyboard.type("img")
    page.wait_for_timeout(200)


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
