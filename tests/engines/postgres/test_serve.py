"""Two `commonplace serve` processes on one vault over PostgreSQL, seen from outside.

Clients: the MCP SDK over HTTP, y-websocket and y-sweet in Node. `COMMONPLACE_KILLS` says how often
the owner is killed.
"""

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from tests.engines.postgres.serve_process import ServeProcess, make_key, owner_of
from tests.live.processes import Clients
from tests.wait import PATIENCE, eventually, until

pytestmark = pytest.mark.anyio

KILLS = int(os.environ.get("COMMONPLACE_KILLS", "2"))
TEXT = "It begins here.\n"


@contextmanager
def two_nodes(url: str, folder: Path) -> Generator[list[ServeProcess]]:
    """The first of them is the owner, and its folder is what the vault begins with."""
    (folder / "notes of one").mkdir()
    (folder / "notes of one" / "a.md").write_text(TEXT)
    key = make_key(folder)
    with ServeProcess("one", folder, url, key) as one, ServeProcess("two", folder, url, key) as two:
        yield [one, two]


async def call(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    (block, *_) = result.content
    text: str = getattr(block, "text", "")
    assert not result.is_error, text
    return text


def over_mcp(node: ServeProcess) -> Client:
    return Client(f"{node.http}/mcp")


async def document_of(node: ServeProcess, path: str) -> str:
    async with httpx.AsyncClient(base_url=node.http, timeout=PATIENCE) as http:
        return (await http.get("/api/document", params={"path": path})).json()["id"]


async def test_clients_of_both_nodes_work_in_one_text(url: str, tmp_path: Path) -> None:
    with two_nodes(url, tmp_path) as (one, two), Clients() as people:
        await eventually(lambda: owner_of(url, [one, two]))
        note = await document_of(two, "a.md")
        people.tell("websocket", name="ana", url=one.ws, document=note)
        people.tell("websocket", name="bo", url=two.ws, document=note)
        people.tell("synced", names=["ana", "bo"])
        people.tell("insert", name="bo", at=0, text="From two. ")
        people.tell("has", name="ana", text="From two.")
        async with over_mcp(two) as assistant:
            assert "From two." in await call(assistant, "read", file_path="a.md")
            await call(assistant, "create_note", path="b.md", content="Made through two.\n")
        async with over_mcp(one) as assistant:
            assert "Made through two." in await call(assistant, "read", file_path="b.md")
            assert "b.md" in await call(assistant, "grep", pattern="Made through")
        file = one.notes / "a.md"
        await eventually(lambda: file.read_text() == f"From two. {TEXT}")


class Assistant:
    """An assistant that edits through one node, whatever happens to the others."""

    def __init__(self, name: str, node: ServeProcess) -> None:
        self.name, self.node = name, node
        self.saved: list[str] = []
        self.last_asked = 0.0
        self.told_to_stop = False

    async def work(self) -> None:
        for number in itertools.takewhile(lambda _: not self.told_to_stop, itertools.count()):
            word = f"{self.name}{number:05}z"
            asked = time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE), over_mcp(self.node) as client:
                    await call(client, "create_note", path=f"{word}.md", content=f"{word}\n")
            except Exception:  # noqa: BLE001 (nobody said that it was saved)
                await asyncio.sleep(0.1)
            else:
                self.saved.append(word)
                self.last_asked = asked


async def finish(assistants: list[Assistant], tasks: list[asyncio.Task[None]]) -> None:
    """Let each end what it does; one that is cancelled leaves coroutines of the SDK behind."""
    for each in assistants:
        each.told_to_stop = True
    await asyncio.gather(*tasks)


async def test_a_killed_owner_loses_nothing_that_was_acknowledged(url: str, tmp_path: Path) -> None:
    with two_nodes(url, tmp_path) as nodes, Clients() as people:
        note = await document_of(nodes[1], "a.md")
        for name, node in zip(("ana", "bo"), nodes, strict=True):
            people.tell("sweet", name=name, url=node.sweet, document=note)
        people.tell("synced", names=["ana", "bo"])
        assistants = [Assistant(f"from{at}n", node) for at, node in enumerate(nodes)]
        tasks = [asyncio.create_task(each.work()) for each in assistants]
        typed, waits = list[str](), list[float]()
        for turn in range(KILLS):
            await eventually(lambda: all(each.saved for each in assistants))
            typed.append(f"(typed {turn})")
            people.tell("insert", name="bo", at=0, text=typed[-1])
            owner = await eventually(lambda: owner_of(url, nodes))
            killed = time.monotonic()
            owner.kill()
            await asyncio.to_thread(owner.process.wait, PATIENCE)
            await eventually(lambda: max(each.last_asked for each in assistants) > killed)  # noqa: B023
            waits.append(time.monotonic() - killed)
            owner.start()
            await asyncio.to_thread(owner.wait_ready)
        await finish(assistants, tasks)
        people.tell("synced", names=["ana", "bo"])
        people.tell("saved", names=["ana", "bo"])
        people.tell("alike", names=["ana", "bo"])
        sys.stderr.write(f"accepted again after {sorted(waits)} s\n")
        async with over_mcp(nodes[0]) as client:
            text = await call(client, "read", file_path="a.md")
            assert [text.count(each) for each in typed] == [1] * KILLS
            for word in [word for each in assistants for word in each.saved]:
                assert word in await call(client, "read", file_path=f"{word}.md")
        owner = await eventually(lambda: owner_of(url, nodes))
        file = owner.notes / "a.md"
        await eventually(lambda: all(each in file.read_text() for each in typed))


async def typed_and_killed(node: ServeProcess, people: Clients, name: str, word: str) -> None:
    """Kill a server as soon as it has said that a word is saved."""
    note = await document_of(node, "a.md")
    people.tell("sweet", name=name, url=node.sweet, document=note)
    people.tell("synced", names=[name])
    people.tell("insert", name=name, at=0, text=word)
    people.tell("saved", names=[name])
    node.kill()
    node.process.wait(PATIENCE)
    people.tell("forget", name=name)


async def shown_by(node: ServeProcess) -> str:
    async with over_mcp(node) as client:
        return await call(client, "read", file_path="a.md")


async def test_a_word_is_there_on_the_next_node_though_no_file_had_it(
    url: str, tmp_path: Path
) -> None:
    """The file is written a moment after; until then only the database has the word."""
    with two_nodes(url, tmp_path) as (one, two), Clients() as people:
        await typed_and_killed(one, people, "ana", "kept ")
        assert "kept" in await shown_by(two)


async def test_without_the_database_the_next_server_has_it_not(tmp_path: Path) -> None:
    """The control: servers with a log each lose what only the killed one knew."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(TEXT)
    lost = False
    with Clients() as people:
        for turn in range(10):
            word = f"word{turn} "
            with ServeProcess(f"one{turn}", tmp_path) as one:
                await typed_and_killed(one, people, f"ana{turn}", word)
            with ServeProcess(f"two{turn}", tmp_path) as two:
                lost = word not in await shown_by(two)
            if lost:
                break
    assert lost


async def test_a_stopped_owner_wakes_to_find_itself_replaced(url: str, tmp_path: Path) -> None:
    with two_nodes(url, tmp_path) as (one, two), Clients() as people:
        note = await document_of(one, "a.md")
        people.tell("sweet", name="ana", url=one.sweet, document=note)
        people.tell("synced", names=["ana"])
        people.tell("insert", name="ana", at=0, text="before ")
        people.tell("saved", names=["ana"])  # its file is not written yet
        with socket.create_connection(("127.0.0.1", one.port)) as open_before:
            one.kill(signal.SIGSTOP)
            await eventually(lambda: owner_of(url, [one, two]) is two)
            people.tell("forget", name="ana")
            people.tell("sweet", name="bo", url=two.sweet, document=note)
            people.tell("has", name="bo", text="before")
            people.tell("insert", name="bo", at=0, text="after ")
            people.tell("saved", names=["bo"])
            file = two.notes / "a.md"
            await eventually(lambda: file.read_text() == f"after before {TEXT}")
            one.kill(signal.SIGCONT)
            woken = time.monotonic()
            open_before.settimeout(PATIENCE)
            assert open_before.recv(1) == b""
            sys.stderr.write(f"sockets closed after {time.monotonic() - woken:.2f} s\n")
        await asyncio.to_thread(until, one.answers)
        assert "after before" in await shown_by(one)
        assert owner_of(url, [one, two]) is two
        assert file.read_text() == f"after before {TEXT}"
        assert "beginning anew" in one.complaints


async def test_nodes_are_restarted_one_after_the_other_while_assistants_work(
    url: str, tmp_path: Path
) -> None:
    """One that is told to stop gives the vault back: nobody waits until a lease has run out."""
    with two_nodes(url, tmp_path) as nodes:
        assistants = [Assistant(f"from{at}n", node) for at, node in enumerate(nodes)]
        tasks = [asyncio.create_task(each.work()) for each in assistants]
        for node in nodes:
            await eventually(lambda: all(each.saved for each in assistants))
            owned = owner_of(url, nodes) is node
            told = time.monotonic()
            node.kill(signal.SIGTERM)
            assert await asyncio.to_thread(node.process.wait, PATIENCE) == 0
            other = next(each for each in assistants if each.node is not node)
            await eventually(lambda: other.last_asked > told)  # noqa: B023
            took = time.monotonic() - told
            sys.stderr.write(f"owned: {owned}, the other accepted after {took:.2f} s\n")
            node.start()
            await asyncio.to_thread(node.wait_ready)
        await finish(assistants, tasks)
        async with over_mcp(nodes[0]) as client:
            for word in [word for each in assistants for word in each.saved]:
                assert word in await call(client, "read", file_path=f"{word}.md")


async def test_the_first_token_is_made_while_a_node_runs(url: str, tmp_path: Path) -> None:
    with ServeProcess("one", tmp_path, url, make_key(tmp_path), "--require-token") as node:
        assert "Nobody can come in yet" in node.complaints
        async with httpx.AsyncClient(base_url=node.http, timeout=PATIENCE) as http:
            assert (await http.get("/api/tree")).status_code == 401
            make = [sys.executable, "-m", "commonplace", "token", "create", "ada"]
            make += [str(node.notes), "--state", str(node.state)]
            made = await asyncio.to_thread(subprocess.check_output, make, text=True)
            shown = {"authorization": f"Bearer {made.strip()}"}
            assert (await http.get("/api/tree", headers=shown)).status_code == 200
