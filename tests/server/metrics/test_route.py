"""`/metrics` of the real server: what happened is counted, and nothing of a note is told."""

from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import httpx
import pytest
from websockets.asyncio.client import connect

from commonplace.cli.choices import metrics_choice
from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument
from commonplace.server.composition import compose
from commonplace.server.metrics.registry import Registry
from commonplace.server.owner.metrics_port import answer_monitors
from commonplace.vault.settings import Root, Settings
from tests.server.metrics.exposition import Exposition, parse
from tests.server.site import Site, site_in
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site(tmp_path: Path) -> AsyncGenerator[Site]:
    async with site_in(tmp_path) as site:
        yield site


async def scrape(site: Site) -> tuple[str, Exposition]:
    async with site.http("read") as http:
        answer = await http.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return answer.text, parse(answer.text)


async def test_what_happens_is_counted_by_kind(site: Site) -> None:
    _, before = await scrape(site)
    assert before["commonplace_documents"] == before["commonplace_sockets"] == 0
    async with site.http() as http:
        assert (await http.get("/api/tree")).status_code == 401
        assert (await http.get("/healthz")).status_code == 200
    async with site.mcp("write", "2026-07-28") as client:
        await client.call_tool("read", {"file_path": "Bees.md"})
    async with site.mcp("write", "legacy") as client:
        assert (await client.call_tool("read", {"file_path": "Nowhere.md"})).is_error
    await site.vault.notes.edit("Bees.md", lambda _: [Edit(0, 0, "x")], "person:Ann")
    document = site.vault.notes.ids.known_id("Bees.md")
    bearer = {"authorization": f"Bearer {site.secrets['write']}"}
    address = f"{site.url.replace('http', 'ws', 1)}/sync/{document}"
    async with connect(address, additional_headers=bearer) as socket_to:
        await socket_to.recv()
        text, found = await scrape(site)
    assert found['commonplace_requests_total{kind="api",code="401"}'] == 1
    assert found['commonplace_requests_total{kind="probe",code="200"}'] >= 2
    assert found.total('commonplace_requests_total{kind="mcp"') >= 3
    assert found['commonplace_requests_total{kind="sync",code="101"}'] == 1
    assert found['commonplace_tool_calls_total{tool="read",outcome="ok"}'] == 1
    assert found['commonplace_tool_calls_total{tool="read",outcome="error"}'] == 1
    assert found['commonplace_edits_total{by="person"}'] == 1
    assert found["commonplace_documents"] == found["commonplace_sockets"] == 1
    log = 'commonplace_commit_seconds_count{database="log"}'
    assert found[log] > before[log]
    assert found['commonplace_queue_length{queue="log"}'] == 0
    assert found.total("commonplace_failing") == 0
    assert found["process_resident_memory_bytes"] > 10_000_000
    for word in ("Bees", "Clover", "Ann", "robot", "dance", str(site.folder), str(document)):
        assert word not in text


async def test_strangers_and_tokens_for_folders_are_not_answered(site: Site) -> None:
    _, part = await site.vault.tokens.create("part", "write", None, ["Sub"])
    async with site.http() as http:
        assert (await http.get("/metrics")).status_code == 401
    async with site.http("revoked") as http:
        assert (await http.get("/metrics")).status_code == 401
    async with site.http(part) as http:
        assert (await http.get("/metrics")).status_code == 403
    async with site.http("read", host="elsewhere.example") as http:
        assert (await http.get("/metrics")).status_code == 421


async def test_a_commit_that_fails_is_seen(site: Site) -> None:
    """The control of `commonplace_failing`."""
    from tests.server.test_readiness import full_disk

    with full_disk():
        with pytest.raises(Exception, match="not be written"):
            await site.vault.notes.edit("Bees.md", lambda _: [Edit(0, 0, "x")], "person:ana")
        _, found = await scrape(site)
    assert found['commonplace_failing{part="log"}'] == 1
    assert "commonplace_edits_total" not in "".join(found.samples)


async def test_a_process_answers_monitors_on_an_address_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    settings, registry = Settings((Root("n", tmp_path / "notes"),), tmp_path / "state"), Registry()
    listener = metrics_choice.listening("127.0.0.1:0")
    assert listener is not None
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    async with (
        anyio.create_task_group() as tasks,
        httpx.AsyncClient(base_url=address, timeout=PATIENCE) as http,
    ):
        tasks.start_soon(answer_monitors, listener, registry)
        async with compose(settings, registry=registry):
            assert parse((await http.get("/metrics")).text)["commonplace_documents"] == 0
        without = parse((await http.get("/metrics")).text)  # the vault is closed
        assert "commonplace_documents" not in without.kinds
        assert without["process_resident_memory_bytes"] > 0
        assert (await http.get("/")).status_code == 404
        tasks.cancel_scope.cancel()


@pytest.mark.parametrize("place", ["9420", "localhost:x", "127.0.0.1:99999"])
async def test_a_place_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(BadArgument, match="is not HOST:PORT"):
        metrics_choice.listening(place)
