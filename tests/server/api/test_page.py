"""The page: one HTML file and its assets, as they were built."""

import lzma
import re
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from commonplace.server.api.page import NOT_BUILT, routes

pytestmark = pytest.mark.anyio


@pytest.fixture
def static(tmp_path: Path) -> Path:
    (tmp_path / "assets/folder").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "index.html").write_text('<style nonce="NONCE"></style><p>日本語</p>')
    (tmp_path / "diagrams.html").write_text("<p>a frame</p>")
    (tmp_path / "assets/main-1.js").write_text("one")
    (tmp_path / "assets/big-2.js.xz").write_bytes(lzma.compress(b"two"))
    (tmp_path / "assets/a.woff2").write_bytes(b"\0")
    return tmp_path


def client(static: Path) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=Starlette(routes=routes(static)))
    return httpx.AsyncClient(transport=transport, base_url="http://test")


async def test_styles_carry_a_nonce_that_is_new_for_each_answer(static: Path) -> None:
    nonces: list[str] = []
    async with client(static) as http:
        for _ in range(2):
            page = await http.get("/")
            nonces += re.findall('nonce="(.*?)"', page.text)
            assert f"'nonce-{nonces[-1]}'" in page.headers["content-security-policy"]
            assert page.headers["cache-control"] == "no-store"
            assert "日本語" in page.text
    assert len({*nonces, "NONCE", ""}) == 4


async def test_diagrams_are_drawn_where_nothing_can_be_reached(static: Path) -> None:
    async with client(static) as http:
        policy = (await http.get("/diagrams")).headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "connect-src" not in policy
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("main-1.js", b"one", "text/javascript"),
        ("big-2.js", b"two", "text/javascript"),
        ("a.woff2", b"\0", "font/woff2"),
    ],
)
async def test_an_asset_is_kept_for_ever(
    static: Path, name: str, content: bytes, kind: str
) -> None:
    async with client(static) as http:
        answer = await http.get(f"/assets/{name}")
    assert (answer.status_code, answer.content) == (200, content)
    assert answer.headers["content-type"].startswith(kind)
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "name", ["none.js", "..%2Fsecret.txt", "folder", "big-2.js.xz", "%00", "new.js"]
)
async def test_only_what_was_built_is_served(static: Path, name: str) -> None:
    app = client(static)
    (static / "assets/new.js").write_text("later")
    async with app as http:
        assert (await http.get(f"/assets/{name}")).status_code == 404


async def test_a_page_that_was_not_built_is_said_to_be_none(tmp_path: Path) -> None:
    async with client(tmp_path) as http:
        for place in ("/", "/diagrams"):
            answer = await http.get(place)
            assert (answer.status_code, answer.text) == (503, NOT_BUILT)
