"""The JSON API for what people do to notes, over a real vault."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from commonplace.errors import Forbidden
from commonplace.server.api import notes
from commonplace.server.api.decisions import approvals
from commonplace.vault.open import open_vault
from commonplace.vault.permissions.requests import Asker
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

ASKER = Asker("session:1", "claude")


class Site:
    """The vault, and the app that serves it."""

    def __init__(self, vault: Vault, folder: Path) -> None:
        self.vault, self.folder = vault, folder
        self.app = Starlette(routes=[*approvals.routes(vault), *notes.routes(vault)])

    async def ask(self, path: str, body: Any = None, header: str = "x-commonplace") -> Any:
        """Call the app as a server does."""
        data = b"" if body is None else json.dumps(body).encode()
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET" if body is None else "POST",
            "path": path,
            "query_string": b"",
            "headers": [(header.encode(), b"1")],
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": data}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        answer = json.loads(b"".join(message.get("body", b"") for message in sent))
        return (sent[0]["status"], answer) if sent[0]["status"] != 200 else answer

    async def park(self, path: str) -> None:
        """Have an assistant wish to delete a note."""
        with pytest.raises(Forbidden, match="waits as number"):
            await self.vault.permissions.ask(
                "delete_note", {"path": path}, ASKER, lambda: self.vault.write.deletion(path)
            )


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("one\n")
    async with open_vault(Settings((Root("notes", folder),), tmp_path / "state")) as vault:
        await vault.indexer.settled()
        yield Site(vault, folder)


async def test_what_waits_is_listed_and_answered(site: Site):
    heard: list[int] = []
    site.vault.permissions.follow(heard.append)
    assert await site.ask("/api/approvals") == {"approvals": []}
    await site.park("a.md")
    (one,) = (await site.ask("/api/approvals"))["approvals"]
    assert list(one) == ["id", "operation", "path", "who", "time", "summary", "diff", "always"]
    assert (one["id"], one["always"]) == ("1", "")
    assert (one["id"], one["operation"], one["path"]) == ("1", "delete", "a.md")
    assert one["summary"].endswith("No other note links to it.")
    done = await site.ask("/api/approvals/1", {"decision": "approve"})
    assert done["state"] == "approved"
    assert not (site.folder / "a.md").exists()
    assert (await site.ask("/api/approvals"))["approvals"] == []
    assert heard == [1, 0]
    assert await site.ask("/api/remembered") == {"remembered": []}
    assert await site.ask("/api/remembered/forget", {}) == {"remembered": []}


async def test_a_denied_write_is_not_done(site: Site):
    await site.park("a.md")
    assert await site.ask("/api/approvals/1", {"decision": "deny"}) == {"state": "denied"}
    assert (site.folder / "a.md").exists()


async def test_several_are_answered_as_one(site: Site):
    for name in "bcd":
        (site.folder / f"{name}.md").write_text("one\n")
    await site.vault.indexer.settled()
    for name in "abcd":
        await site.park(f"{name}.md")
    (site.folder / "c.md").unlink()
    status, answer = await site.ask("/api/approvals", {"approve": [1, "3"], "deny": [4]})
    assert (status, answer["error"]["code"]) == (409, "CONFLICT")
    assert "Write 3 cannot be done" in answer["error"]["message"]
    assert len((await site.ask("/api/approvals"))["approvals"]) == 4
    assert (site.folder / "a.md").exists()
    done = await site.ask("/api/approvals", {"approve": [1, 2], "deny": ["4"]})
    assert [one["result"]["path"] for one in done["approved"]] == ["a.md", "b.md"]
    assert done["denied"] == [{"id": "4"}]
    assert not (site.folder / "a.md").exists()
    assert [one["id"] for one in (await site.ask("/api/approvals"))["approvals"]] == ["3"]


@pytest.mark.parametrize(
    "body",
    [{}, {"approve": 1}, {"approve": [-1]}, {"approve": ["x"]}, {"approve": [1], "deny": [1]}],
)
async def test_several_that_are_named_wrongly_are_not_decided(site: Site, body: Any):
    await site.park("a.md")
    status, answer = await site.ask("/api/approvals", body)
    assert (status, answer["error"]["code"]) == (400, "BAD_ARGUMENT")
    assert len(await site.vault.permissions.waiting()) == 1


@pytest.mark.parametrize(
    ("id", "body", "status"),
    [
        ("7", {"decision": "approve"}, 404),
        ("x", {"decision": "approve"}, 400),
        ("1", {"decision": "maybe"}, 400),
        ("1", {"decision": "approve", "scope": "ever"}, 400),
        ("1", [], 400),
    ],
)
async def test_a_wrong_answer_decides_nothing(site: Site, id: str, body: Any, status: int):
    await site.park("a.md")
    found, answer = await site.ask(f"/api/approvals/{id}", body)
    assert (found, "message" in answer["error"]) == (status, True)
    assert len(await site.vault.permissions.waiting()) == 1


async def test_a_write_that_cannot_be_done_any_more_is_a_404(site: Site):
    await site.park("a.md")
    (site.folder / "a.md").unlink()
    status, answer = await site.ask("/api/approvals/1", {"decision": "approve"})
    assert (status, answer["error"]["code"]) == (404, "NOT_FOUND")


async def test_notes_are_created_deleted_and_restored(site: Site):
    body = {"path": "new/b.md", "content": "x {++y++}\n"}
    assert await site.ask("/api/notes", body) == {"path": "new/b.md"}
    assert (site.folder / "new/b.md").read_text() == "x {++y++}\n"
    status, answer = await site.ask("/api/notes", body)
    assert (status, answer["error"]["code"]) == (409, "CONFLICT")
    for path in ("../x.md", "a", ".trash/x.md", ""):
        assert (await site.ask("/api/notes", {"path": path, "content": ""}))[0] == 400
    assert (await site.ask("/api/notes", {"path": "c.md", "content": 3}))[0] == 400
    assert (await site.ask("/api/notes", {"path": "c.md", "content": "a\0"}))[0] == 400
    deleted = await site.ask("/api/notes/delete", {"path": "new/b.md", "who": "Ada"})
    assert deleted == {"trash": ".trash/new/b.md"}
    (row,) = (await site.ask("/api/trash"))["trash"]
    assert (row["trash"], row["path"], row["who"]) == (".trash/new/b.md", "new/b.md", "Ada")
    restored = await site.ask("/api/notes/restore", {"trash": ".trash/new/b.md"})
    assert restored == {"path": "new/b.md"}
    assert (await site.ask("/api/notes/restore", {"trash": ".trash/new/b.md"}))[0] == 404
    for trash in ("a.md", ".trash/../a.md", ".trash/.git/x.md", "/etc/passwd", ".trash"):
        assert (await site.ask("/api/notes/restore", {"trash": trash}))[0] == 400
    assert [write.operation for write in site.vault.permissions.audit.latest(3)] == [
        "create", "delete", "create",
    ]  # fmt: skip


async def test_a_request_that_writes_must_carry_the_header(site: Site):
    await site.park("a.md")
    for path, body in (
        ("/api/approvals/1", {"decision": "approve"}),
        ("/api/approvals", {"approve": [1]}),
        ("/api/notes", {"path": "b.md", "content": ""}),
        ("/api/notes/delete", {"path": "a.md"}),
        ("/api/notes/restore", {"trash": ".trash/a.md"}),
        ("/api/remembered/forget", {}),
        ("/api/remembered/revoke", {"key": "update *"}),
    ):
        assert (await site.ask(path, body, header="accept"))[0] == 403
    assert (site.folder / "a.md").exists()
