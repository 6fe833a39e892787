"""The files of a vault for copies elsewhere: the list by a cursor, saves, scopes."""

import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from commonplace.core.text.edits import Edit
from tests.server.site import site_in

pytestmark = pytest.mark.anyio

BEES = b"# Bees\n\nBees dance.\n"


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def listed(http: httpx.AsyncClient, since: str = "", wait: int = 0) -> dict[str, Any]:
    answer = await http.get("/api/files", params={"since": since, "wait": wait})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def save(
    http: httpx.AsyncClient, path: str, data: bytes, base: bytes | None = None, **query: Any
) -> httpx.Response:
    if base is not None:
        query["base_size"] = len(base)
    return await http.post(
        "/api/files/save",
        params={"path": path, **query},
        content=(base or b"") + data,
        headers={"x-commonplace": "1"},
    )


async def post(http: httpx.AsyncClient, route: str, **body: str) -> httpx.Response:
    return await http.post(f"/api/files/{route}", json=body, headers={"x-commonplace": "1"})


async def test_the_list_is_whole_at_first_and_then_what_changed(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        (site.folder / "pic.png").write_bytes(b"\0")
        (site.folder / ".hidden").write_bytes(b"\0")
        found = await listed(http)
        assert found["whole"]
        assert {row["path"]: row["sha"] for row in found["files"]} == {
            "Bees.md": sha(BEES),
            "Sub/Clover.md": sha(b"# Clover\n\nSee [[Bees]].\n"),
            "pic.png": sha(b"\0"),
        }
        assert found["may"] == "write"
        again = await listed(http, found["cursor"])
        assert (again["whole"], again["files"], again["gone"]) == (False, [], [])
        await save(http, "New.md", b"new\n")
        await post(http, "delete", path="pic.png", was=sha(b"\0"))
        later = await listed(http, found["cursor"], wait=10)
        assert [row["path"] for row in later["files"]] == ["New.md"]
        assert later["gone"] == ["pic.png"]
        strange = await listed(http, "elsewhere-3")
        assert strange["whole"]


async def test_whoever_waits_is_told_what_is_typed(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("read") as http:
        cursor = (await listed(http))["cursor"]
        await site.vault.notes.edit("Bees.md", lambda _: [Edit(0, 0, "x")], "person:ann")
        found = await listed(http, cursor, wait=10)
        assert [(row["path"], row["sha"]) for row in found["files"]] == [
            ("Bees.md", sha(b"x" + BEES))
        ]


async def test_a_save_from_an_older_text_is_merged(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        await site.vault.notes.edit(
            "Bees.md", lambda text: [Edit(len(text), len(text), "typed\n")], "a"
        )
        answer = await save(http, "Bees.md", b"# Bees\n\nMany bees dance.\n", BEES, name="one")
        merged = b"# Bees\n\nMany bees dance.\ntyped\n"
        assert answer.json() == {"outcome": "saved", "sha": sha(merged)}
        assert (site.folder / "Bees.md").read_bytes() == merged
        again = await save(http, "Bees.md", b"# Bees\n\nMany bees dance.\n", BEES, name="one")
        assert again.json() == answer.json()
        content = await http.get("/api/files/content", params={"path": "Bees.md"})
        assert content.content == merged


async def test_what_cannot_be_merged_is_a_conflict_and_nothing_happens(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        (site.folder / "pic.png").write_bytes(b"\0there")
        (site.folder / "bad.md").write_bytes(b"caf\xe9")
        for path, was in (("pic.png", sha(b"\0old")), ("Bees.md", ""), ("bad.md", sha(b"caf"))):
            before = (site.folder / path).read_bytes()
            answer = await save(http, path, b"\0mine", was=was)
            assert answer.json() == {"outcome": "conflict", "sha": sha(before)}, path
            assert (site.folder / path).read_bytes() == before
        for route in ("delete", "rename"):
            body = {"path": "Bees.md", "to": "B.md", "was": sha(b"old")}
            assert (await post(http, route, **body)).status_code == 409
        assert (site.folder / "Bees.md").read_bytes() == BEES
        assert not [file for file in site.folder.rglob(".*") if file.is_file()]


async def test_a_rename_keeps_the_document_and_leaves_links(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        id = await site.vault.notes.ids.id_of("Bees.md")
        answer = await post(http, "rename", path="Bees.md", to="In/Wasps.md", was=sha(BEES))
        assert answer.status_code == 200, answer.text
        assert await site.vault.notes.ids.id_of("In/Wasps.md") == id
        assert "[[Bees]]" in (site.folder / "Sub/Clover.md").read_text()
        assert [path for path, *_ in await site.vault.listing.tree() if "Wasps" in path]


@pytest.mark.parametrize("scope", ["read", "suggest"])
async def test_a_scope_allows_what_it_says(tmp_path: Path, scope: str) -> None:
    async with site_in(tmp_path) as site, site.http(scope) as http:
        assert (await listed(http))["may"] == scope
        saved = await save(http, "Bees.md", b"# Bees\n\nBees sing.\n", BEES)
        assert saved.status_code == (403 if scope == "read" else 200)
        for route in ("delete", "rename"):
            body = {"path": "Bees.md", "to": "B.md", "was": sha(BEES)}
            assert (await post(http, route, **body)).status_code == 403
        text = (site.folder / "Bees.md").read_text()
        assert ("{++sing++}" in text) == (scope == "suggest")
        assert (site.folder / "Bees.md").exists()
        picture = await save(http, "pic.png", b"\0")
        assert picture.status_code == 403
        assert not (site.folder / "pic.png").exists()


async def test_a_save_without_the_header_of_our_own_is_refused(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        answer = await http.post("/api/files/save", params={"path": "X.md"}, content=b"x")
        assert answer.status_code == 403
        assert not (site.folder / "X.md").exists()


async def test_settings_are_given_and_not_taken(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("approve") as http:
        (site.folder / "commonplace.toml").write_text("read_only = true\n")
        for path in ("commonplace.toml", "Commonplace.TOML", "Sub/commonplace.toml"):
            answer = await save(http, path, b"read_only = false\n", was=sha(b"read_only = true\n"))
            assert answer.status_code == 403
            gone = await post(http, "delete", path=path, was=sha(b"read_only = true\n"))
            assert gone.status_code == 403
        moved = await post(http, "rename", path="Bees.md", to="commonplace.toml", was=sha(BEES))
        assert moved.status_code == 403
        assert (site.folder / "commonplace.toml").read_text() == "read_only = true\n"


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", ".hidden.md", "a/.git/x", "x\0.md"])
async def test_no_path_leads_out_of_the_vault(tmp_path: Path, path: str) -> None:
    async with site_in(tmp_path) as site, site.http("approve") as http:
        assert (await save(http, path, b"x")).status_code == 400
        assert (await post(http, "delete", path=path, was=sha(b""))).status_code == 400
        answer = await post(http, "rename", path="Bees.md", to=path, was=sha(BEES))
        assert answer.status_code == 400
        found = await http.get("/api/files/content", params={"path": path})
        assert found.status_code == 400
        assert json.loads(found.content)["error"]["code"] == "BAD_ARGUMENT"
        assert (site.folder / "Bees.md").read_bytes() == BEES


async def test_a_token_for_some_folders_opens_no_copy(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site:
        _, secret = await site.vault.tokens.create("part", "write", folders=("Sub",))
        async with site.http(secret) as http:
            for path in ("/api/files", "/api/files/content?path=Bees.md"):
                assert (await http.get(path)).status_code == 403
            assert (await save(http, "Sub/X.md", b"x")).status_code == 403


async def test_a_body_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        answer = await save(http, "big.bin", b"\0" * 25_000_001)
        assert answer.status_code == 413
        assert not (site.folder / "big.bin").exists()
