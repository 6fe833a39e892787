"""Files over HTTP: types, ranges, scopes, uploads and moves."""

from pathlib import Path

import pytest

from commonplace.server.access.guard import BODY_MAX
from commonplace.vault.attachments.attachments import SAVED_BYTES_MAX
from tests.server.site import site_in
from tests.vault.attachments.samples import png

pytestmark = pytest.mark.anyio

_SAVE = {"x-commonplace": "1", "content-type": "image/png"}


async def test_a_file_is_sent_whole_in_parts_or_not_at_all_when_it_is_known(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("read") as http:
        data = png(40, 30)
        (site.folder / "pic.png").write_bytes(data)
        answer = await http.get("/api/file", params={"path": "pic.png"})
        assert (answer.status_code, answer.content) == (200, data)
        head = answer.headers
        assert head["content-type"] == "image/png"
        assert head["x-content-type-options"] == "nosniff"
        assert head["cross-origin-resource-policy"] == "same-origin"
        assert "sandbox" in head["content-security-policy"]
        assert head["content-disposition"].startswith("inline")
        etag = head["etag"]
        known = await http.get(
            "/api/file",
            params={"link": "pic.png", "from": "Sub/Clover.md"},
            headers={"if-none-match": etag},
        )
        assert (known.status_code, known.content) == (304, b"")
        part = await http.get(
            "/api/file", params={"path": "pic.png"}, headers={"range": "bytes=1-3"}
        )
        assert (part.status_code, part.content) == (206, data[1:4])
        assert part.headers["content-range"] == f"bytes 1-3/{len(data)}"
        stale = {"range": "bytes=1-3", "if-range": '"other"'}
        assert (
            await http.get("/api/file", params={"path": "pic.png"}, headers=stale)
        ).content == data
        beyond = {"range": f"bytes={len(data)}-"}
        assert (await http.get("/api/file?path=pic.png", headers=beyond)).status_code == 416
        looked = await http.head("/api/file?path=pic.png")
        assert (looked.content, looked.headers["content-length"]) == (b"", str(len(data)))
        (site.folder / "pic.png").write_bytes(png(41, 30))
        again = await http.get("/api/file?path=pic.png", headers={"if-none-match": etag})
        assert again.status_code == 200


async def test_what_could_run_is_sent_to_be_saved_or_in_a_sandbox(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("read") as http:
        evil = b"<script>alert(1)</script>"
        for name in ("x.html", "x.xhtml", "x.xml", "x.js", "x.unknown", "x.svg", "x.png", "x.txt"):
            (site.folder / name).write_bytes(evil)
            head = (await http.get("/api/file", params={"path": name})).headers
            assert "html" not in head["content-type"]
            assert "script" not in head["content-type"]
            assert head["x-content-type-options"] == "nosniff"
            assert head["content-security-policy"].endswith("sandbox")
            saved = head["content-disposition"].startswith("attachment")
            assert saved == (name not in ("x.svg", "x.png", "x.txt")), name
        asked = await http.get("/api/file", params={"path": "x.txt", "download": "1"})
        assert asked.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    "path",
    [
        "../state/live.db",
        "/etc/passwd",
        ".obsidian/app.json",
        "link.png",
        "Bees.md",
        "Sub",
        "no.png",
    ],
)
async def test_nothing_else_of_the_machine_or_the_vault_is_sent(tmp_path: Path, path: str) -> None:
    async with site_in(tmp_path) as site, site.http("read") as http:
        (site.folder / ".obsidian").mkdir()
        (site.folder / ".obsidian/app.json").write_text("{}")
        (site.folder / "link.png").symlink_to("/etc/passwd")
        for params in ({"path": path}, {"link": path, "from": "Bees.md"}):
            answer = await http.get("/api/file", params=params)
            assert answer.status_code in (400, 404), (params, answer.text)


async def test_files_need_a_token_and_saving_one_that_may_write(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site:
        (site.folder / "pic.png").write_bytes(png())
        async with site.http() as http:
            assert (await http.get("/api/file?path=pic.png")).status_code == 401
            assert (await http.get("/api/attachments")).status_code == 401
        for scope, status in (("read", 403), ("suggest", 403), ("write", 200), ("approve", 200)):
            async with site.http(scope) as http:
                url = f"/api/attachments?note=Bees.md&name={scope}.png"
                answer = await http.post(url, content=png(), headers=_SAVE)
                assert answer.status_code == status, scope
                renamed = await http.post(
                    "/api/attachments/rename",
                    json={"path": "pic.png", "to": "pic.png"} if status == 403 else {},
                    headers=_SAVE,
                )
                assert renamed.status_code == (403 if status == 403 else 400)
        async with site.http("write") as http:
            answer = await http.post("/api/attachments?note=Bees.md&name=n.png", content=png())
            assert answer.status_code == 403  # a page of another site cannot send the header


async def test_a_saved_file_is_linked_listed_and_moved_with_its_links(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        url = "/api/attachments?note=Sub/Clover.md&name=image.png"
        saved = (await http.post(url, content=png(), headers=_SAVE)).json()
        assert saved["path"].startswith("Pasted image 20")
        assert (site.folder / saved["path"]).read_bytes() == png()
        (site.folder / "Sub/Clover.md").write_text(f"![[{saved['link']}]]\n")
        await site.vault.indexer.refresh()
        listed = (await http.get("/api/attachments?note=Sub/Clover.md")).json()["files"]
        assert listed == [{"link": saved["link"], "path": saved["path"]}]
        move = {"path": saved["path"], "to": "art/bee.png"}
        moved = (await http.post("/api/attachments/rename", json=move, headers=_SAVE)).json()
        assert (moved["path"], moved["links"]) == ("art/bee.png", 1)
        assert await site.vault.texts.accepted("Sub/Clover.md") == "![[bee.png]]\n"
        undone = await http.post(
            "/api/notes/rename/undo", json={"undo": moved["undo"]}, headers=_SAVE
        )
        assert undone.json() == {"path": saved["path"]}


async def test_a_file_may_be_longer_than_other_requests_but_not_without_end(tmp_path: Path) -> None:
    async with site_in(tmp_path) as site, site.http("write") as http:
        url = "/api/attachments?note=Bees.md&name=big.png"
        big = png() + bytes(BODY_MAX)
        assert (await http.post(url, content=big, headers=_SAVE)).status_code == 200
        assert (await http.post("/api/notes", content=big, headers=_SAVE)).status_code == 413
        too_big = bytes(SAVED_BYTES_MAX + 1)
        assert (await http.post(url, content=too_big, headers=_SAVE)).status_code == 413
