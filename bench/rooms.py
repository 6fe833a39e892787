"""`python -m bench.rooms`: our rooms beside the JavaScript y-websocket server, in the same run.

    python -m bench.rooms [--seconds 5] [--rounds 5] [--scene N] [--scratch FOLDER] [--vault]

Two scenes. *One note*: 100 clients on one document, 200 updates a second in all; a delivery is an
update that reached another client. *Many notes*: 1,000 documents with a client each, 1,000 updates
a second in all, each followed by a question for the state; a delivery is the answer. People do not
type in step: each client does so at moments of its own, the same ones with both servers. Ours keeps
its durable log (each answer waits for the disk), the other keeps nothing. Then 10,000 documents
are opened, written to and closed again, a few at a time: memory must not grow with them.

Rooms and log are measured alone, as the other server has nothing else. With `--vault` it is all of
`commonplace serve` on a folder of notes: each edit reaches its file and the index as well.

The two servers take turns. Their processor time comes from /proc, so it does not depend on how
busy the machine is; latencies do, and the load average is shown beside them. An answer of ours is
never quicker than the disk: what one would wait for the disk alone is measured meanwhile, and p99
is judged by the rounds in which that is not most of it.
With `--scratch /dev/shm` there is no disk to wait for.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, cast

import uvloop
from tests import node

from commonplace.core.yjs.encoding import (
    ByteReader,
    encode_state_vector,
    var_bytes,
    var_string,
    varuint,
)

LIVE = Path(node.__file__).parent / "live"
JAVASCRIPT = "node_modules/y-websocket-server/bin/server.cjs"
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
    "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    "Sec-WebSocket-Version: 13\r\n\r\n"
)
LATE_SECONDS_MAX = 10.0
FOLLOWING_SECONDS_MAX = 60.0
NOTES = 1_000
TEXT = "# A note\n\nwith a few words and a link to [[note-1]]\n"
OPENED = 10_000
OPENED_STEP = 1_000
OPENED_AT_ONCE = 20
DISK_SECONDS = 0.025
SCRATCH = Path(__file__).parents[1] / "build"
CPU_GOAL = 1.3
P99_GOAL_MS = 50.0
CALM_MS_MAX = 10.0


@dataclass(frozen=True, slots=True)
class Scene:
    name: str
    notes: int
    clients: int
    rate: int
    asks: bool


SCENES = (
    Scene("one note, 100 clients, 200 updates/s", 1, 100, 200, asks=False),
    Scene("1,000 notes, 1 client each, 1,000 updates/s", 1_000, 1_000, 1_000, asks=True),
)


@dataclass(slots=True)
class Meter:
    expected: int
    all_here: asyncio.Event = field(default_factory=asyncio.Event)
    sent: dict[tuple[int, int], float] = field(default_factory=dict[tuple[int, int], float])
    latencies: list[float] = field(default_factory=list[float])

    def arrived(self, key: tuple[int, int]) -> None:
        if key in self.sent:
            self.latencies.append((time.perf_counter() - self.sent[key]) * 1e3)
            if len(self.latencies) == self.expected:
                self.all_here.set()


class Disk(threading.Thread):
    """Has the disk keep a page now and then, and measures how long that takes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self._folder = folder
        self._over = threading.Event()
        self.times: list[float] = []

    def run(self) -> None:
        with tempfile.NamedTemporaryFile(dir=self._folder) as file:
            while not self._over.wait(DISK_SECONDS):
                start = time.perf_counter()
                os.pwrite(file.fileno(), bytes(4096), 0)
                os.fdatasync(file.fileno())
                self.times.append((time.perf_counter() - start) * 1e3)

    def p99(self) -> float:
        """End, and tell what one in a hundred would wait for the disk alone, whoever asked it.

        Whoever comes while it keeps a page waits until that is kept; the moments are all alike.
        """
        self._over.set()
        self.join()
        total = sum(self.times) + len(self.times) * DISK_SECONDS * 1e3
        return exceeded(self.times, total / 100)


def exceeded(times: list[float], share: float) -> float:
    """Find the wait that is exceeded for so long, of all the time."""
    low, high = 0.0, max(times)
    while high - low > 0.05:
        middle = (low + high) / 2
        longer = sum(max(0.0, time - middle) for time in times)
        low, high = (middle, high) if longer > share else (low, middle)
    return high


class Client(asyncio.Protocol):
    """A Yjs client that types at the end of its own text, and reads just enough to measure."""

    def __init__(self, number: int, path: str, port: int, meter: Meter) -> None:
        self.id = 1_000_000 + number
        self.clock = 0
        self.opened = asyncio.get_running_loop().create_future()
        self._hello = UPGRADE.format(path=path, port=port).encode()
        self._meter = meter
        self._data = b""
        self._asked: list[int] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._hello)

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self.opened.done():
            head, found, self._data = self._data.partition(b"\r\n\r\n")
            if not found:
                self._data = head
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            self.opened.set_result(None)
        self._read_frames()

    def _read_frames(self) -> None:
        data, at = self._data, 0
        while len(data) - at >= 2:
            size, start = data[at + 1], at + 2
            if size >= 126:
                width = 2 if size == 126 else 8
                size, start = int.from_bytes(data[start : start + width]), start + width
            if start + size > len(data):
                break
            if data[at] == 0x82:
                self._heard(data[start : start + size])
            at = start + size
        self._data = data[at:]

    def _heard(self, frame: bytes) -> None:
        if frame.startswith(b"\0\1") and self._asked:
            self._meter.arrived((self.id, self._asked.pop(0)))
        elif frame.startswith(b"\0\2") and not self._asked:
            reader = ByteReader(frame)
            for _ in range(5):
                reader.varuint()
            client, clock = reader.varuint(), reader.varuint()
            if client != self.id:
                self._meter.arrived((client, clock))

    def type(self, *, ask: bool) -> None:
        """Add a character; with `ask`, ask for the state behind it."""
        place = b"\4\1" + var_string("contents")
        if self.clock:
            place = b"\x84" + varuint(self.id) + varuint(self.clock - 1)
        update = b"\1\1" + varuint(self.id) + varuint(self.clock) + place + var_string("x") + b"\0"
        self._meter.sent[self.id, self.clock] = time.perf_counter()
        frames = _masked(b"\0\2" + var_bytes(update))
        if ask:
            self._asked.append(self.clock)
            vector = encode_state_vector({self.id: self.clock + 1})
            frames += _masked(b"\0\0" + var_bytes(vector))
        self._transport.write(frames)
        self.clock += 1

    def close(self) -> None:
        self._transport.abort()


def _masked(payload: bytes) -> bytes:
    """Frame a payload; the mask is of zeros, which is as good as any here."""
    assert len(payload) < 126
    return bytes((0x82, 0x80 | len(payload))) + bytes(4) + payload


@dataclass(frozen=True, slots=True)
class Result:
    cpu_us: float
    p50: float
    p99: float
    rss_mb: float
    lost: int
    disk_p99: float
    behind: float | None


@dataclass(frozen=True, slots=True)
class Target:
    """A server that is measured, and where its sockets are."""

    pid: int
    port: int
    socket: Callable[[int], str]
    vault: Path | None = None


Server = Callable[[Path], AbstractAsyncContextManager[Target]]


async def measure(scene: Scene, target: Target, seconds: float, scratch: Path) -> Result:
    count = int(scene.rate * seconds)
    meter = Meter(count * (1 if scene.asks else scene.clients - 1))
    loop = asyncio.get_running_loop()
    clients: list[Client] = []
    for number in range(scene.clients):
        path = target.socket(number % scene.notes)
        client = Client(number, path, target.port, meter)
        await loop.create_connection(lambda client=client: client, "127.0.0.1", target.port)
        await client.opened
        clients.append(client)
    await asyncio.sleep(0.5)
    disk = Disk(scratch)
    disk.start()
    before, start = cpu(target.pid), time.perf_counter()
    for moment, number in moments(scene, count):
        wait = start + moment - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        clients[number].type(ask=scene.asks)
    with suppress(TimeoutError):
        async with asyncio.timeout(LATE_SECONDS_MAX):
            await meter.all_here.wait()
    used = cpu(target.pid) - before
    behind = await followed(target.vault, scene, clients) if target.vault else None
    for client in clients:
        client.close()
    times = sorted(meter.latencies)
    return Result(
        used / len(times) * 1e6,
        times[len(times) // 2],
        times[int(len(times) * 0.99)],
        rss(target.pid),
        meter.expected - len(times),
        disk.p99(),
        behind,
    )


async def followed(vault: Path, scene: Scene, clients: list[Client]) -> float:
    """Wait until every file holds all that was typed; tells how many seconds that took."""
    start = time.perf_counter()
    sizes = [len(TEXT)] * scene.notes
    for number, client in enumerate(clients):
        sizes[number % scene.notes] += client.clock
    for number, size in enumerate(sizes):
        while (vault / f"note-{number}.md").stat().st_size != size:
            assert time.perf_counter() - start < FOLLOWING_SECONDS_MAX, "a file did not follow"
            await asyncio.sleep(0.01)
    return time.perf_counter() - start


def moments(scene: Scene, count: int) -> list[tuple[float, int]]:
    """Draw when each client types: equally often, each at its own time within its turn."""
    rng = random.Random(1)
    turn = scene.clients / scene.rate
    drawn = ((number // scene.clients + rng.random()) * turn for number in range(count))
    return sorted((moment, number % scene.clients) for number, moment in enumerate(drawn))


def cpu(pid: int) -> float:
    """Seconds that all threads of a process were on a processor, to the nanosecond."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def rss(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(row for row in status.splitlines() if row.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@asynccontextmanager
async def ours(scratch: Path) -> AsyncGenerator[Target]:
    port = free_port()
    with tempfile.TemporaryDirectory(dir=scratch) as state:
        command = [sys.executable, "-m", "bench.rooms", "--serve", state, "--port", str(port)]
        async with started(command, port) as pid:
            yield Target(pid, port, "/sync/note-{}".format)


@asynccontextmanager
async def ours_with_a_vault(scratch: Path) -> AsyncGenerator[Target]:
    port = free_port()
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        vault = Path(folder) / "vault"
        vault.mkdir()
        for number in range(NOTES):
            (vault / f"note-{number}.md").write_text(TEXT)
        command = [sys.executable, "-m", "commonplace", "serve", str(vault), "--port", str(port)]
        async with started(command, port, COMMONPLACE_STATE=f"{folder}/state") as pid:
            ids = await asyncio.to_thread(documents, port)
            yield Target(pid, port, lambda number: f"/sync/{ids[number]}", vault)


def documents(port: int) -> list[str]:
    """Ask a server for the ids of its notes, once it has read them all."""
    asked = HTTPConnection("127.0.0.1", port)

    def answer(path: str) -> Any:
        asked.request("GET", path)
        return json.load(asked.getresponse())

    while not answer("/api/status")["current"]:
        time.sleep(0.1)
    return [answer(f"/api/document?path=note-{number}.md")["id"] for number in range(NOTES)]


@asynccontextmanager
async def theirs(_: Path) -> AsyncGenerator[Target]:
    port = free_port()
    command = [str(node.node()), str(node.installed(LIVE) / JAVASCRIPT)]
    async with started(command, port, HOST="127.0.0.1", PORT=str(port)) as pid:
        yield Target(pid, port, "/note-{}".format)


@asynccontextmanager
async def started(command: list[str], port: int, **env: str) -> AsyncGenerator[int]:
    process = await asyncio.create_subprocess_exec(
        *command, env=os.environ | env, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        while not listening(port):
            assert process.returncode is None, "the server did not start"
            await asyncio.sleep(0.05)
        yield process.pid
    finally:
        process.terminate()
        await process.wait()


def listening(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return False
    return True


def serve(state: Path, port: int) -> None:
    """Serve rooms over a log in this folder; every id is a document."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    from commonplace.server.access.guard import Guard, GuardApp
    from commonplace.server.owner.interpreter import run_as_server
    from commonplace.server.yjs.rooms import Rooms
    from commonplace.server.yjs.sockets import routes
    from commonplace.vault.documents.documents import Documents
    from commonplace.vault.log.sqlite import SqliteLog

    class Anything:
        def __init__(self, documents: Documents) -> None:
            self.documents = documents

        async def open(self, id: str) -> None:
            pass

        async def closed(self, id: str) -> None:
            pass

    async def run() -> None:
        async with SqliteLog(state / "live.db") as log, Documents(log) as documents:
            app = Starlette(
                routes=routes(Rooms(Anything(documents))),
                middleware=[Middleware(GuardApp, guard=Guard())],
            )
            config = uvicorn.Config(
                app,
                port=port,
                ws="websockets-sansio",
                ws_per_message_deflate=False,
                log_level="warning",
                timeout_graceful_shutdown=1,
            )
            await uvicorn.Server(config).serve()

    run_as_server()
    uvloop.run(run())


async def open_many(scratch: Path) -> None:
    """Open one document after another, and look at the memory that is left taken."""
    async with ours(scratch) as target:
        taken: list[float] = []
        for first in range(0, OPENED, OPENED_STEP):
            numbers = iter(range(first, first + OPENED_STEP))
            await asyncio.gather(*(visit(numbers, target) for _ in range(OPENED_AT_ONCE)))
            taken.append(rss(target.pid))
    print(f"\n{OPENED:,} documents opened one after another")
    print("  " + "  ".join(f"{n * OPENED_STEP:,}: {mb:.0f} MB" for n, mb in enumerate(taken, 1)))
    growth = taken[-1] / taken[len(taken) // 2 - 1]
    print(f"  {_mark(growth < 1.1)} {growth:.2f} x from half way to the end (< 1.1)")


async def visit(numbers: Iterator[int], target: Target) -> None:
    loop = asyncio.get_running_loop()
    for number in numbers:
        meter = Meter(1)
        client = Client(number, target.socket(number), target.port, meter)
        await loop.create_connection(lambda client=client: client, "127.0.0.1", target.port)
        await client.opened
        client.type(ask=True)
        await asyncio.wait_for(meter.all_here.wait(), LATE_SECONDS_MAX)
        client.close()


async def compare(scene: Scene, mine: Server, seconds: float, rounds: int, scratch: Path) -> None:
    results: dict[str, list[Result]] = {"ours": [], "y-websocket": []}
    for _ in range(rounds):
        for name, server in (("ours", mine), ("y-websocket", theirs)):
            async with server(scratch) as target:
                results[name].append(await measure(scene, target, seconds, scratch))
    print(f"\n{scene.name}   (load average {os.getloadavg()[0]:.1f})")
    for name, found in results.items():
        best = min(found, key=lambda one: one.p99)
        lost = sum(one.lost for one in found)
        print(
            f"  {name:12} {_median(found, 'cpu_us'):7.1f} µs CPU a delivery   "
            f"p50 {_median(found, 'p50'):6.2f}  p99 {_median(found, 'p99'):7.2f} ms "
            f"(best round {best.p50:.2f} / {best.p99:.2f})   "
            f"{_median(found, 'rss_mb'):4.0f} MB   {lost} lost"
        )
    ratio = _median(results["ours"], "cpu_us") / _median(results["y-websocket"], "cpu_us")
    print(f"  {_mark(ratio <= CPU_GOAL)} CPU {ratio:.2f} x theirs (≤ {CPU_GOAL})")
    each = ", ".join(f"{one.p99:.0f} ({one.disk_p99:.0f})" for one in results["ours"])
    print(f"    p99 of each round, and of the disk alone meanwhile: {each} ms")
    behind = [one.behind for one in results["ours"] if one.behind is not None]
    if behind:
        print(f"    files had all {max(behind):.1f} s after the last edit at the latest")
    calm = [one.p99 for one in results["ours"] if one.disk_p99 < CALM_MS_MAX]
    if calm:
        p99 = statistics.median(calm)
        where = f"in {len(calm)} of {rounds} rounds, those with a disk that keeps up"
        print(f"  {_mark(p99 < P99_GOAL_MS)} p99 {p99:.1f} ms (< {P99_GOAL_MS:.0f}) {where}")
    else:
        print("  ? p99: the disk alone took too long in every round")


def _median(results: list[Result], what: str) -> float:
    return statistics.median(getattr(one, what) for one in results)


def _mark(good: bool) -> str:
    return "✓" if good else "✗"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=5)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--scene", type=int, choices=range(len(SCENES) + 1))
    options.add_argument("--scratch", type=Path, default=SCRATCH, help="where the log is kept")
    options.add_argument("--vault", action="store_true", help="all of `serve`, not rooms alone")
    options.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        serve(chosen.serve, chosen.port)
        return
    scratch: Path = chosen.scratch
    scratch.mkdir(exist_ok=True)
    for number, scene in enumerate(SCENES):
        if chosen.scene in (None, number):
            mine = ours_with_a_vault if chosen.vault else ours
            uvloop.run(compare(scene, mine, chosen.seconds, chosen.rounds, scratch))
    if chosen.scene in (None, len(SCENES)) and not chosen.vault:
        uvloop.run(open_many(scratch))


if __name__ == "__main__":
    main()
