"""The JSON API for review and for what changes, over a real vault."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette

from commonplace.server.api import browse
from commonplace.server.api.assistants import Visits
from commonplace.server.api.decisions import review
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault
from tests.wait import eventually

pytestmark = pytest.mark.anyio

TWINS = "Tea {++or milk++} and tea {++or milk++} again, {--cold--}.\n"


class Site:
    """The vault, and the apps that serve it: to write, and to read only."""

    def __init__(self, vault: Vault, folder: Path) -> None:
        self.vault, self.folder, self.visits = vault, folder, Visits()
        shared = browse.routes(vault, self.visits)
        self.app = Starlette(routes=[*shared, *review.routes(vault)])
        self.closed = Starlette(routes=[*shared, *review.routes(vault, read_only=True)])

    async def ask(self, path: str, body: Any = None, header: str = "x-commonplace") -> Any:
        return await ask(self.app, path, body, header)

    async def rows(self) -> list[dict[str, Any]]:
        return (await self.ask("/api/suggestions"))[1]["suggestions"]

    def text(self) -> str:
        return (self.folder / "Tea.md").read_text()


async def ask(
    app: Starlette, path: str, body: Any = None, header: str = "x-commonplace"
) -> tuple[int, Any]:
    """Call an app as a server does."""
    data = b"" if body is None else json.dumps(body).encode()
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET" if body is None else "POST",
        "path": path,
        "query_string": b"",
        "headers": [(header.encode(), b"1")],
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data}

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    answer = b"".join(message.get("body", b"") for message in sent)
    status = sent[0]["status"]
    return status, None if status in (404, 405) else json.loads(answer)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "Tea.md").write_text(TWINS)
    settings = Settings((Root("notes", notes),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        yield Site(vault, notes)


def chosen(row: dict[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("path", "id")}


async def test_a_second_decision_never_falls_on_the_twin(site: Site) -> None:
    first, second, cold = await site.rows()
    assert (first["old"], first["new"]) == (second["old"], second["new"])
    accept = {"decision": "accept", "suggestions": [chosen(first)]}
    reject = {"decision": "reject", "suggestions": [chosen(first)]}
    assert (await site.ask("/api/review", accept))[0] == 200
    status, refused = await site.ask("/api/review", reject)
    assert (status, refused["error"]["code"]) == (409, "CONFLICT")
    await site.vault.notes.queue.flush_all()
    assert site.text() == "Tea or milk and tea {++or milk++} again, {--cold--}.\n"
    left, cold = await site.rows()
    assert left["id"] not in (first["id"], second["id"])
    assert (await site.ask("/api/review", reject | {"suggestions": [chosen(left)]}))[0] == 200
    assert (await site.ask("/api/review", accept | {"suggestions": [chosen(cold)]}))[0] == 200


@pytest.mark.parametrize("path", ["/api/review", "/api/review/undo"])
async def test_deciding_needs_the_header(site: Site, path: str) -> None:
    status, answer = await site.ask(path, {"decision": "accept", "all": True}, "x-other")
    assert (status, answer["error"]["code"]) == (403, "FORBIDDEN")
    assert len(await site.rows()) == 3


async def test_a_vault_that_is_only_read_shows_what_waits(site: Site) -> None:
    status, answer = await ask(site.closed, "/api/suggestions")
    assert (status, answer["total"]) == (200, 3)
    status, _ = await ask(site.closed, "/api/review", {"decision": "accept", "all": True})
    assert status == 404


async def test_the_stream_tells_of_assistants_and_of_notes(site: Site) -> None:
    heard = bytearray()

    async def receive() -> dict[str, Any]:
        await anyio.sleep_forever()
        return {}

    async def send(message: Any) -> None:
        heard.extend(message.get("body", b""))

    scope: dict[str, Any] = {"type": "http", "method": "GET", "query_string": b"", "headers": []}
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(site.app, scope | {"path": "/api/events"}, receive, send)
        await _until(heard, b": here")
        site.visits.note("Claude", "read", {"file_path": "Tea.md"})
        await _until(heard, b"event: assistants\n")
        await site.ask("/api/review", {"decision": "accept", "all": True})
        await site.vault.notes.queue.flush_all()
        await _until(heard, b"event: suggestions\n")
        assert b'"changed": ["Tea.md"]' in heard
        heard.clear()
        await site.vault.sets.kept.describe("process:1", "Claude", "Tea", "", ready=True)
        await _until(heard, b"event: sets\n")
        tasks.cancel_scope.cancel()


async def _until(heard: bytearray, wanted: bytes) -> None:
    await eventually(lambda: wanted in heard)
