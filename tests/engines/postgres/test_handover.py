"""A node that stops hands the vault over; one that waits serves its machine's programs."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path

import anyio
import httpx
import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from commonplace.cli.commands.programs.import_ import import_folder
from tests.engines.postgres.serve_process import ServeProcess, make_key, owner_of
from tests.engines.postgres.test_serve import TEXT, call, two_nodes
from tests.wait import PATIENCE, eventually

pytestmark = pytest.mark.anyio


class LongLeaseProcess(ServeProcess):
    module = "tests.engines.postgres.long_lease_serve"


@pytest.fixture
def long_leases(url: str, tmp_path: Path) -> Generator[list[ServeProcess]]:
    (tmp_path / "notes of one").mkdir()
    key = make_key(tmp_path)
    with (
        LongLeaseProcess("one", tmp_path, url, key) as one,
        LongLeaseProcess("two", tmp_path, url, key) as two,
    ):
        yield [one, two]


async def make_note(node: ServeProcess, path: str) -> None:
    """Make a note through a node, however often it takes."""
    async with (
        asyncio.timeout(PATIENCE),
        httpx.AsyncClient(base_url=node.http, headers={"X-Commonplace": "1"}) as http,
    ):
        while True:
            try:
                answer = await http.post("/api/notes", json={"path": path}, timeout=PATIENCE)
            except httpx.HTTPError:
                await asyncio.sleep(0.05)
                continue
            if answer.status_code in (200, 409):
                return


def seconds_left(url: str) -> float:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT extract(epoch FROM until - clock_timestamp())::float8 FROM commonplace.leases"
        ).fetchone()
    return row[0] if row else 0.0


async def test_a_node_that_stops_gives_its_lease_up_and_the_next_one_takes_it(
    url: str, long_leases: list[ServeProcess]
) -> None:
    one, two = long_leases
    for turn, (first, second) in enumerate([(one, two), (two, one), (one, two)]):
        await make_note(second, f"before {turn}.md")
        assert owner_of(url, long_leases) is first
        assert seconds_left(url) > PATIENCE
        told = time.monotonic()
        first.kill(signal.SIGTERM)
        await make_note(second, f"after {turn}.md")
        sys.stderr.write(f"accepted again after {time.monotonic() - told:.2f} s\\n")
        assert await asyncio.to_thread(first.process.wait, PATIENCE) == 0
        await eventually(lambda second=second: owner_of(url, long_leases) is second)
        first.start()
        await asyncio.to_thread(first.wait_ready)
    # The control: who is killed gives nothing up, and nobody may take it.
    two.kill()
    await asyncio.to_thread(two.process.wait, PATIENCE)
    assert seconds_left(url) > PATIENCE
    assert owner_of(url, [one]) is None


def run(node: ServeProcess, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a person does on a node's machine."""
    command = [sys.executable, "-m", "commonplace", *words]
    command += [str(node.notes), "--state", str(node.state)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def test_commands_on_a_waiting_node_are_answered_by_the_owner(
    url: str, tmp_path: Path
) -> None:
    with two_nodes(url, tmp_path) as (one, two):
        await eventually(lambda: owner_of(url, [one, two]) is one)
        made = await asyncio.to_thread(run, two, "token", "create", "ada")
        assert made.returncode == 0, made.stderr
        async with httpx.AsyncClient(base_url=one.http, timeout=PATIENCE) as http:
            shown = {"authorization": f"Bearer {made.stdout.strip()}"}
            assert (await http.get("/api/tree", headers=shown)).status_code == 200
            wrong = {"authorization": "Bearer cp_wrong"}
            assert (await http.get("/api/tree", headers=wrong)).status_code == 401  # the control
        listed = await asyncio.to_thread(run, one, "token", "list")
        assert "ada" in listed.stdout
        status = await asyncio.to_thread(run, two, "status")
        assert status.returncode == 0, status.stderr
        mcp = StdioServerParameters(
            command=sys.executable,
            args=["-m", "commonplace", "mcp", str(two.notes), "--state", str(two.state)],
        )
        async with Client(stdio_client(mcp)) as assistant:
            assert TEXT.strip() in await call(assistant, "read", file_path="a.md")
        assert not (two.state / "live.db").exists()


async def test_a_command_at_a_stopped_node_says_so_and_writes_nothing(
    url: str, tmp_path: Path
) -> None:
    with two_nodes(url, tmp_path) as (one, two):
        await eventually(lambda: owner_of(url, [one, two]) is one)
        two.kill(signal.SIGTERM)
        await asyncio.to_thread(two.process.wait, PATIENCE)
        refused = await asyncio.to_thread(run, two, "token", "create", "ada")
        assert refused.returncode != 0
        assert "its node does not run here now" in refused.stderr
        assert list(two.state.rglob("live.db")) == []


async def refuses_to_write(node: ServeProcess, below: str = "") -> str:
    async with httpx.AsyncClient(
        base_url=node.http, headers={"X-Commonplace": "1"}, timeout=PATIENCE
    ) as http:
        answer = await http.post(f"{below}/api/notes", json={"path": "new.md"})
    return answer.text if answer.status_code >= 400 else ""


@pytest.mark.parametrize("several", [False, True])
async def test_the_vaults_settings_hold_from_a_nodes_first_moment(
    url: str, tmp_path: Path, several: bool
) -> None:
    for name, settings in (("team", "read_only = true\n"), ("control", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(TEXT)
        (tmp_path / name / "commonplace.toml").write_text(settings)
        await anyio.to_thread.run_sync(anyio.run, import_folder, url, name, tmp_path / name, False)
    with ServeProcess("new", tmp_path, url, make_key(tmp_path), vaults=several) as node:
        assert await refuses_to_write(node, "/v/team" if several else "")
        if several:
            assert not await refuses_to_write(node, "/v/control")
