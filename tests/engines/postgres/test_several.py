"""Three `commonplace serve --vaults` processes over one PostgreSQL, seen from outside.

The nodes are started once for the tests here; the last of those kills one.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
import psycopg
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from psycopg import sql
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect as connect_socket

from commonplace.cli.commands.programs.import_ import import_folder
from commonplace.server.cluster.places import rank
from tests.engines.postgres.conftest import admin
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.server import ROLE, PostgresServer
from tests.engines.postgres.test_serve import call
from tests.live.processes import Clients
from tests.wait import PATIENCE, eventually, has_words

pytestmark = pytest.mark.anyio

IMPORTED, PUT_THERE = ("alpha", "beta", "gamma"), "delta"
VAULTS = (*IMPORTED, PUT_THERE)
STRANGE = "epsilon"
IDLE_SECONDS = 2.0


class TeamOfThree:
    """Three nodes, and what the database says of them.

    Each has a folder of its own for its copies. One vault begins as a folder of the first node,
    the others were imported.
    """

    def __init__(self, url: str, folder: Path, **options: Any) -> None:
        self.url, key = url, make_key(folder)
        self.nodes = [
            ServeProcess(name, folder, url, key, vaults=True, **options)
            for name in ("one", "two", "three")
        ]
        for name in (*IMPORTED, STRANGE):
            anyio.run(import_folder, url, name, begin(folder / "imported", name), False)
        begin(self.nodes[0].vaults, PUT_THERE)

    def __enter__(self) -> "TeamOfThree":
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            node.wait_ready()
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            node.__exit__()

    def rows(self, question: str) -> list[Any]:
        with psycopg.connect(self.url) as connection:
            return connection.execute(question.encode()).fetchall()

    def owners(self) -> dict[str, ServeProcess]:
        """Which node has which vault now."""
        pids = {node.process.pid: node for node in self.nodes}
        rows = self.rows("SELECT vault, node FROM commonplace.leases WHERE until > now()")
        found = {vault: pids.get(int(node.rpartition(":")[2])) for vault, node in rows}
        return {vault: node for vault, node in found.items() if node is not None}

    def addresses(self) -> dict[str, ServeProcess]:
        """Where the other nodes find those that are there."""
        pids = {node.process.pid: node for node in self.nodes}
        rows = self.rows("SELECT address, node FROM commonplace.nodes WHERE until > now()")
        return {address: pids[int(node.rpartition(":")[2])] for address, node in rows}

    def text(self, vault: str, path: str) -> str:
        """What the file is on the node that has the vault; nothing while there is none."""
        owner = self.owners().get(vault)
        file = owner.vaults / vault / path if owner else None
        return file.read_text() if file and file.exists() else ""

    def next_to(self, vault: str) -> ServeProcess:
        """Whose turn it is to open a vault."""
        found = self.addresses()
        return found[rank(vault, set(found))[0]]


def begin(folder: Path, name: str) -> Path:
    """What a vault begins with."""
    (folder / name).mkdir(parents=True)
    (folder / name / "a.md").write_text(f"This is {name}.\n")
    return folder / name


@pytest.fixture(scope="module")
def team(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Generator[TeamOfThree]:
    make_database(postgres, "several")
    with TeamOfThree(postgres.url("several"), tmp_path_factory.mktemp("several")) as team:
        yield team


def make_database(postgres: PostgresServer, name: str) -> None:
    with admin(postgres) as connection:
        make = sql.SQL("CREATE DATABASE {} OWNER {}")
        connection.execute(make.format(sql.Identifier(name), sql.Identifier(ROLE)))


def place(node: ServeProcess, vault: str) -> str:
    return f"{node.http}/v/{vault}"


async def document_id(node: ServeProcess, vault: str) -> str:
    """Ask for a note's id, and again if the vault is not to be had for a while."""
    end = time.monotonic() + PATIENCE
    async with httpx.AsyncClient(timeout=PATIENCE) as http:
        while True:
            answer = await http.get(f"{place(node, vault)}/api/document", params={"path": "a.md"})
            if answer.status_code != 503:
                assert answer.status_code == 200, answer.text
                return answer.json()["id"]
            assert time.monotonic() < end, answer.text


async def read(node: ServeProcess, vault: str, path: str) -> str:
    async with Client(f"{place(node, vault)}/mcp") as client:
        return await call(client, "read", file_path=path)


async def test_each_vault_is_the_same_through_each_node(team: TeamOfThree) -> None:
    await asyncio.gather(*(document_id(team.nodes[0], vault) for vault in VAULTS))
    for at, vault in enumerate(VAULTS):
        one, two, three = (team.nodes[(at + turn) % 3] for turn in range(3))
        async with Client(f"{place(one, vault)}/mcp") as client:
            await call(client, "create_note", path="b.md", content=f"Made in {vault}.\n")
        assert f"Made in {vault}." in await read(two, vault, "b.md")
        assert len({await document_id(node, vault) for node in (one, two, three)}) == 1
    for vault in VAULTS:
        assert team.text(vault, "b.md") == f"Made in {vault}.\n"
    expected = {vault: team.next_to(vault) for vault in IMPORTED}
    assert team.owners() == {**expected, PUT_THERE: team.nodes[0]}


async def test_a_node_with_strange_files_leaves_a_vault_to_the_others(team: TeamOfThree) -> None:
    """What was never a copy of the vault is neither mixed into it nor thrown away."""
    first = team.next_to(STRANGE)
    folder = first.vaults / STRANGE
    folder.mkdir()
    (folder / "strange.md").write_text("Of somebody else.\n")
    for node in team.nodes:
        assert "This is epsilon." in await read(node, STRANGE, "a.md")
    assert team.owners()[STRANGE] is not first
    assert "was never a copy of the vault" in first.complaints
    assert [file.name for file in folder.iterdir()] == ["strange.md"]
    async with httpx.AsyncClient(timeout=PATIENCE, base_url=place(first, STRANGE)) as http:
        asked = await http.get("/api/document", params={"path": "strange.md"})
        assert asked.status_code == 404


async def test_people_at_different_nodes_work_in_one_text(team: TeamOfThree) -> None:
    one, two, three = team.nodes
    with Clients() as people:
        note = await document_id(one, "beta")
        for name, node in (("ana", one), ("bo", two)):
            sync = place(node, "beta").replace("http:", "ws:") + "/sync"
            people.tell("websocket", name=name, url=sync, document=note)
        sweet = place(three, "beta").replace("http:", "ys:")
        people.tell("sweet", name="cy", url=sweet, document=note)
        people.tell("synced", names=["ana", "bo", "cy"])
        people.tell("insert", name="bo", at=0, text="From two. ")
        for name in ("ana", "cy"):
            people.tell("has", name=name, text="From two.")
        other = await read(three, "alpha", "a.md")
        assert "From two." not in other


async def test_the_page_and_what_is_no_vault(team: TeamOfThree) -> None:
    async with httpx.AsyncClient(timeout=PATIENCE, base_url=team.nodes[0].http) as http:
        page = await http.get("/v/alpha/")
        assert page.status_code == 200
        assert "/v/alpha/" not in page.text  # what it names, it finds below its own address
        moved = await http.get("/v/alpha?note=a.md")
        assert (moved.status_code, moved.headers["location"]) == (308, "/v/alpha/?note=a.md")
        shown = (await http.get("/v/alpha/api/connect")).json()
        assert f"{team.nodes[0].http}/v/alpha/mcp" in str(shown)
        for path in ("/v/nobody/", "/v/Alpha/", "/v/../alpha/", "/", "/api/document?path=a.md"):
            assert (await http.get(path)).status_code == 404, path
        assert (await http.get("/healthz")).json() == {"status": "ok"}
    assert not team.rows("SELECT 1 FROM commonplace.leases WHERE vault = 'nobody'")


def test_the_pages_of_two_vaults_in_one_browser_keep_apart(team: TeamOfThree) -> None:
    """They are of one origin, so a browser would share what it keeps between them."""
    pytest.importorskip("playwright")
    from tests.web.browser import Watch, browsing

    node = team.nodes[1]
    with browsing() as browser, browser.new_context() as context:
        watches: list[Watch] = []
        for vault in ("gamma", "delta"):
            page = context.new_page()
            page.set_default_timeout(PATIENCE * 1000)
            watches.append(Watch(page, node.http))
            page.goto(f"{place(node, vault)}/#note!a.md")
            page.wait_for_selector(".state.live")
            page.click(f".cm-line >> text=This is {vault}.")
            page.keyboard.press("End")
            page.keyboard.type(f" Typed in {vault}.")
            page.wait_for_selector(".state.saved")
            words = f"This is {vault}. Typed in {vault}."
            has_words(team.owners()[vault].vaults / vault / "a.md", words)
        kept = page.evaluate("Object.keys(localStorage)")
        assert any("/v/gamma." in key for key in kept)
        assert any("/v/delta." in key for key in kept)
        assert [fault for watch in watches for fault in watch.faults] == []


async def test_commands_at_each_node_reach_whoever_has_the_vault(team: TeamOfThree) -> None:
    await document_id(team.nodes[0], "gamma")
    owner = team.owners()["gamma"]
    others = [node for node in team.nodes if node is not owner]
    for node in others:
        (node.vaults / "gamma").mkdir(exist_ok=True)  # it may not have had it yet
        token = await run(node, "gamma", "token", "create", "ada")
        assert [await status_with(token, each, "gamma") for each in team.nodes] == [200] * 3
        assert await status_with("cp_wrong", node, "gamma") == 401  # the control
        assert "ada" in await run(node, "gamma", "token", "list")
        assert f"{place(node, 'gamma')}" in await run(node, "gamma", "status")
        mcp = StdioServerParameters(
            command=sys.executable,
            args=[
                *("-m", "commonplace", "mcp", str(node.vaults / "gamma")),
                *("--state", str(node.state)),
            ],
        )
        async with Client(stdio_client(mcp)) as assistant:
            assert "This is gamma." in await call(assistant, "read", file_path="a.md")
        assert list(node.state.rglob("live.db")) == []
    (others[0].vaults / "sub" / "gamma").mkdir(parents=True)
    assert "no vault of this node" in await run(others[0], "sub/gamma", "status")
    assert team.owners()["gamma"] is owner


def wait_closed(socket: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        for _ in iter(lambda: socket.recv(PATIENCE), None):
            pass
    assert socket.close_code is not None


async def test_a_stopped_node_wakes_to_find_its_vaults_with_others(team: TeamOfThree) -> None:
    note = await document_id(team.nodes[0], "gamma")
    stopped = team.owners()["gamma"]
    other = next(node for node in team.nodes if node is not stopped)
    address = f"{place(stopped, 'gamma').replace('http:', 'ws:')}/sync/{note}"
    with Clients() as people, connect_socket(address) as open_before:
        stopped.kill(signal.SIGSTOP)
        try:
            await eventually(lambda: team.owners().get("gamma") is not stopped)
            sync = place(other, "gamma").replace("http:", "ws:") + "/sync"
            people.tell("websocket", name="bo", url=sync, document=note)
            people.tell("synced", names=["bo"])
            people.tell("insert", name="bo", at=0, text="Meanwhile. ")
            await eventually(lambda: team.text("gamma", "a.md").startswith("Meanwhile. "))
        finally:
            stopped.kill(signal.SIGCONT)
        woken = time.monotonic()
        await asyncio.to_thread(wait_closed, open_before)
        sys.stderr.write(f"sockets closed after {time.monotonic() - woken:.2f} s\n")
    assert "Meanwhile." in await read(stopped, "gamma", "a.md")
    assert team.owners()["gamma"] is not stopped
    assert team.text("gamma", "a.md").startswith("Meanwhile. This is gamma.")


class Writer:
    """An assistant that makes notes in one vault, through one node, whatever happens to others."""

    def __init__(self, vault: str, node: ServeProcess) -> None:
        self.vault, self.node = vault, node
        self.saved: list[str] = []
        self.last_asked = 0.0
        self.told_to_stop = False

    async def work(self) -> None:
        number = 0
        while not self.told_to_stop:
            number += 1
            word, asked = f"{self.vault}{number:04}z", time.monotonic()
            try:
                async with (
                    asyncio.timeout(PATIENCE),
                    Client(f"{place(self.node, self.vault)}/mcp") as client,
                ):
                    await call(client, "create_note", path=f"{word}.md", content=f"{word}\n")
            except Exception:  # noqa: BLE001 (nobody said that it was saved)
                await asyncio.sleep(0.1)
            else:
                self.saved.append(word)
                self.last_asked = asked


async def test_a_dead_nodes_vaults_are_taken_by_the_others_and_nothing_is_lost(
    team: TeamOfThree,
) -> None:
    ids = {vault: await document_id(team.nodes[0], vault) for vault in VAULTS}
    dead = team.owners()["alpha"]
    alive = [node for node in team.nodes if node is not dead]
    owners = team.owners()
    theirs = [vault for vault in VAULTS if owners[vault] is dead]
    writers = [Writer(vault, alive[at % 2]) for at, vault in enumerate(theirs)]
    tasks = [asyncio.create_task(each.work()) for each in writers]
    await eventually(lambda: all(each.saved for each in writers))
    dead.kill()
    killed = time.monotonic()
    await asyncio.to_thread(dead.process.wait, PATIENCE)
    await eventually(lambda: all(each.last_asked > killed for each in writers))
    sys.stderr.write(f"{len(theirs)} vaults taken over in {time.monotonic() - killed:.1f} s\n")
    for each in writers:
        each.told_to_stop = True
    await asyncio.gather(*tasks)
    await eventually(lambda: len(team.addresses()) == 2)
    owners = team.owners()
    assert {owners[vault] for vault in theirs} <= set(alive)
    for each in writers:
        assert await document_id(alive[0], each.vault) == ids[each.vault]
        folder = team.owners()[each.vault].vaults / each.vault
        files = [file.stem for file in folder.glob(f"{each.vault}*.md")]
        assert set(each.saved) <= set(files)
        assert len(files) == len(set(files))
        for word in (each.saved[0], each.saved[-1]):
            assert (await read(alive[1], each.vault, f"{word}.md")).count(word) == 1


async def run(node: ServeProcess, vault: str, *words: str) -> str:
    """Run a command as a person does at a node's machine; return what it said, or why not."""
    folder = node.vaults / vault
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "commonplace", *words, str(folder), "--state", str(node.state)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, complaint = await process.communicate()
    return (said if process.returncode == 0 else complaint).decode().strip()


async def status_with(token: str, node: ServeProcess, vault: str) -> int:
    shown = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(timeout=PATIENCE, base_url=place(node, vault)) as http:
        return (await http.get("/api/tree", headers=shown)).status_code


@pytest.fixture
def lone(url: str, tmp_path: Path) -> Generator[TeamOfThree]:
    """One node, which soon closes what nobody uses."""
    team = TeamOfThree(url, tmp_path, idle_seconds=IDLE_SECONDS)
    del team.nodes[1:]
    with team:
        yield team


async def test_a_vault_that_nobody_uses_is_closed_and_opened_again(lone: TeamOfThree) -> None:
    (node,) = lone.nodes
    note = await document_id(node, "alpha")
    with connect_socket(f"{place(node, 'alpha').replace('http:', 'ws:')}/sync/{note}"):
        before = await document_id(node, "beta")
        assert set(lone.owners()) == {"alpha", "beta"}
        await eventually(lambda: set(lone.owners()) == {"alpha"})
        assert "cp_" in await run(node, "alpha", "token", "create", "ana")
    assert await document_id(node, "beta") == before
    await eventually(lambda: not lone.owners())
    assert "cp_" in await run(node, "beta", "token", "create", "ana")  # it is opened for that
    # The control: what a vault is comes from the database, not from the node's own folder.
    await eventually(lambda: not lone.owners())
    with psycopg.connect(lone.url) as connection:
        connection.execute("DROP SCHEMA vault_beta CASCADE")
    async with httpx.AsyncClient(timeout=PATIENCE, base_url=place(node, "beta")) as http:
        asked = await http.get("/api/document", params={"path": "a.md"})
    assert asked.status_code == 404, asked.text
