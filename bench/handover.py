"""How long nobody can write when the owner of a team's vault is restarted, or killed.

python -m bench.handover RESTARTS KILLS NOTES SOCKETS BURNERS    (needs PostgreSQL's server)

Two nodes, and one who makes a note after the other through the node that does not own the vault;
SOCKETS people who have a note open through either, BURNERS processes that keep processors busy.
Told is the longest time between two notes that were made, around each restart and each kill.
"""

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import httpx
import psycopg
from tests.engines.postgres.serve_process import ServeProcess, make_key, owner_of
from tests.engines.postgres.server import SUPERUSER, PostgresServer, missing
from tests.wait import eventually
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

ANSWER_SECONDS_MAX = 30.0
PAUSE = 0.02


class Writer:
    """Makes notes through one node, and remembers when each was acknowledged."""

    def __init__(self, node: ServeProcess) -> None:
        self.made: list[float] = []
        self._node = node
        self._ends = False

    async def work(self) -> None:
        name = f"{self._node.port} {time.monotonic_ns()}"
        async with httpx.AsyncClient(
            base_url=self._node.http, timeout=ANSWER_SECONDS_MAX, headers={"X-Commonplace": "1"}
        ) as http:
            while not self._ends:
                with suppress(httpx.HTTPError):
                    body = {"path": f"made/{name} {len(self.made)}.md", "content": "made\n"}
                    answer = await http.post("/api/notes", json=body)
                    if answer.status_code in (200, 409):  # it was made, and the answer was lost
                        self.made.append(time.monotonic())
                await asyncio.sleep(PAUSE)

    def end(self) -> None:
        self._ends = True


async def keep_open(node: ServeProcess, document: str) -> None:
    """Have a note open, as a page has, and connect again whenever that ends."""
    address = f"{node.http.replace('http:', 'ws:')}/sync/{document}"
    while True:
        with suppress(OSError, TimeoutError, WebSocketException):
            async with connect(address) as socket:
                async for _ in socket:
                    pass
        await asyncio.sleep(1.0)


@contextmanager
def busy(count: int) -> Generator[None]:
    """Keep processors busy."""
    burners = [subprocess.Popen([sys.executable, "-c", "while 1: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in burners:
            each.kill()
            each.wait()


async def gap(nodes: list[ServeProcess], url: str, how: signal.Signals) -> tuple[float, float]:
    """Stop the owner, and start it again; return the longest wait, and that until its end."""
    owner = await eventually(lambda: owner_of(url, nodes))
    (other,) = (node for node in nodes if node is not owner)
    writer = Writer(other)
    task = asyncio.create_task(writer.work())
    await eventually(lambda: len(writer.made) > 5)
    told = time.monotonic()
    owner.kill(how)
    await asyncio.to_thread(owner.process.wait)
    ended = time.monotonic() - told
    await eventually(lambda: sum(made > told + ended for made in writer.made) > 5)
    writer.end()
    await task
    made = [told, *(each for each in writer.made if each > told)]
    longest = max(after - before for before, after in pairwise(made))
    owner.start()
    await asyncio.to_thread(owner.wait_ready)
    return longest, ended


def show(name: str, found: list[tuple[float, float]]) -> None:
    if found:
        waits = sorted(wait for wait, _ in found)
        late = waits[min(len(waits) - 1, int(len(waits) * 0.99))]
        ends = sorted(end for _, end in found)
        print(
            f"{len(waits)} {name}: p50 {waits[len(waits) // 2]:.2f} s, p99 {late:.2f},"
            f" most {waits[-1]:.2f}; the owner's process ended after {ends[len(ends) // 2]:.2f}"
        )


async def run(folder: Path, restarts: int, kills: int, notes: int, sockets: int) -> None:
    server = PostgresServer(folder / "server")
    server.create()
    server.start()
    try:
        with psycopg.connect(server.url("postgres", role=SUPERUSER), autocommit=True) as admin:
            admin.execute("CREATE DATABASE team")
        url = server.url("team", role=SUPERUSER)
        first = folder / "notes of one"
        first.mkdir()
        for number in range(notes):
            (first / f"n{number}.md").write_text(f"Note {number}, see [[n{number // 2}]].\n")
        key = make_key(folder)
        with (
            ServeProcess("one", folder, url, key) as one,
            ServeProcess("two", folder, url, key) as two,
        ):
            nodes = [one, two]
            async with httpx.AsyncClient(base_url=two.http, timeout=ANSWER_SECONDS_MAX) as http:
                path = {"path": "n0.md"}
                note = (await http.get("/api/document", params=path)).json()["id"]
            people = [
                asyncio.create_task(keep_open(nodes[number % 2], note)) for number in range(sockets)
            ]
            restarted = [await gap(nodes, url, signal.SIGTERM) for _ in range(restarts)]
            show("restarts", restarted)
            killed = [await gap(nodes, url, signal.SIGKILL) for _ in range(kills)]
            show("kills", killed)
            for each in people:
                each.cancel()
            if people:
                await asyncio.wait(people)
    finally:
        server.stop()


def main() -> int:
    if why := missing():
        print(why)
        return 1
    restarts, kills, notes, sockets, burners = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name, busy(burners):
        Path(name).chmod(0o755)
        asyncio.run(run(Path(name), restarts, kills, notes, sockets))
    return 0


if __name__ == "__main__":
    sys.exit(main())
