"""Runs the attacks and faults for as long as one likes, and prints what came of them as a table.

    python -m tests.live.soak MINUTES [TURNS]

It goes on for so many minutes, and for so many turns if those take longer. In turns: four writers
and an editor that saves in place, killed at random (`kill -9`); hostile Yjs updates; malformed
JSON-RPC over HTTP beside readers that take a byte at a time, on one server whose memory is looked
at. 200 turns are 1,000 kills, 1,000,000 updates and 100,000 messages. It ends with 1 if anything
was lost, died, or stopped to answer.
"""

import contextlib
import http.client
import json
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from tests.vault.faults.test_crash import mended, writers_to_kill
from tests.wait import until

KILLS_A_TURN = 5
UPDATES_A_TURN = 5_000
MESSAGES_A_TURN = 500
KILLS_A_VAULT = 50
SLOW_READERS = 20
NOTES = ("0.md", "1.md")


@dataclass
class Tally:
    """What was done and what came of it; `faults` ends the run with 1."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    faults: list[str] = field(default_factory=list[str])

    def add(self, name: str, number: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + number


class Kills:
    """A vault whose process is killed again and again while everybody writes.

    After some kills another one takes its place: what would take long is to open a long note.
    """

    def __init__(self, top: Path, dice: random.Random, kind: str = "honest") -> None:
        self._kind = kind
        self._top = top
        self._dice = dice
        self._first = 0
        self._begin_anew()

    def _begin_anew(self) -> None:
        home = self._top / str(self._first)
        self._folder, self._state = home / "vault", home / "state"
        self._folder.mkdir(parents=True)
        for name in NOTES:
            (self._folder / name).write_text("start\n")
        self._kills = 0
        self._acknowledged: set[str] = set()

    def turn(self, tally: Tally) -> None:
        """Kill some times, then open the vault and count what is there."""
        if self._kills >= KILLS_A_VAULT:
            self._begin_anew()
        before = len(self._acknowledged)
        saved: list[str] = []
        with (
            _editor(self._folder / NOTES[0], saved),
            writers_to_kill(self._folder, self._state) as kill,
        ):
            for _ in range(KILLS_A_TURN):
                self._first += 1_000_000
                wait = self._dice.uniform(0.0, 0.7)
                self._acknowledged.update(kill(self._first, self._kind, wait))
                self._kills += 1
                tally.add("kills")
        texts = anyio.run(mended, self._folder, self._state)
        words = {line.split(" ")[0] for text in texts.values() for line in text.splitlines()}
        lost = self._acknowledged - words - {"start"}
        tally.add("acknowledged edits", len(self._acknowledged) - before)
        tally.add("saves in place", len(saved))
        tally.add("acknowledged edits lost", len(lost))
        if lost:
            tally.faults.append(f"{len(lost)} acknowledged edits are lost: {sorted(lost)[:5]}")
        torn = [name for name in NOTES if (self._folder / name).read_text() != texts[name]]
        if torn:
            tally.faults.append(f"the files differ from the notes: {torn}")


@contextmanager
def _editor(note: Path, saved: list[str]) -> Generator[None]:
    """Save a note in place meanwhile, as most editors do: read it, add a line, write it all."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.35):
            line = f"editor-{time.monotonic_ns()}"
            note.write_text(f"{note.read_text()}{line} é😀\n")
            saved.append(line)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def throw_updates(tally: Tally, seed: int) -> None:
    """Throw mutated updates at a document, in a process that may die of it."""
    command = [sys.executable, "-m", "tests.vault.documents.mutations"]
    done = subprocess.run(
        [*command, str(UPDATES_A_TURN), str(seed)], capture_output=True, text=True, check=False
    )
    tally.add("hostile updates", UPDATES_A_TURN)
    if not done.stdout.startswith("alive"):
        tally.faults.append(f"updates of seed {seed} ended it: {done.stderr[-300:]}")


class Served:
    """A running server, attacked over HTTP."""

    def __init__(self, top: Path, dice: random.Random) -> None:
        folder = top / "served"
        folder.mkdir(parents=True)
        for n in range(50):
            (folder / f"n{n}.md").write_text(f"note {n} [[n{n + 1}]] #tag\n" * 50)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._port: int = listener.getsockname()[1]
        command = [sys.executable, "-m", "commonplace", "serve", str(folder)]
        state = ["--state", str(top / "served-state"), "--port", str(self._port)]
        self.process = subprocess.Popen(
            [*command, *state], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._dice = dice
        self._slow: list[socket.socket] = []
        until(lambda: self._answers("/readyz"))
        self.first_mb = self.resident_mb

    def turn(self, tally: Tally) -> None:
        """Send what is no message, with readers that hardly read beside it."""
        self._read_slowly(tally)
        for _ in range(MESSAGES_A_TURN):
            self._post(_spoiled(self._dice))
            tally.add("malformed messages")
        start = time.monotonic()
        if self.process.poll() is not None or not self._answers("/healthz"):
            tally.faults.append("the server has stopped to answer")
        waited = int((time.monotonic() - start) * 1000)
        tally.counts["longest wait, ms"] = max(waited, tally.counts.get("longest wait, ms", 0))
        tally.counts["memory at first, MB"] = int(self.first_mb)
        tally.counts["memory, MB"] = int(self.resident_mb)

    @property
    def resident_mb(self) -> float:
        """What the server holds of memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * 4096 / 1e6

    def stop(self) -> None:
        """End it as an operator does."""
        for each in self._slow:
            each.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def _read_slowly(self, tally: Tally) -> None:
        for each in self._slow:
            with contextlib.suppress(OSError):
                each.recv(1)
        for each in self._slow[SLOW_READERS:]:
            each.close()
        reader = socket.create_connection(("127.0.0.1", self._port), 10)
        reader.sendall(b"GET /api/tree HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % self._port)
        self._slow = [reader, *self._slow[:SLOW_READERS]]
        tally.add("slow readers")

    def _post(self, body: bytes) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        with contextlib.suppress(http.client.HTTPException, OSError):
            connection.request("POST", "/mcp", body, headers)
            connection.getresponse().read(100_000)
        connection.close()

    def _answers(self, path: str) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()


def _spoiled(dice: random.Random) -> bytes:
    ids: list[object] = [1, "x", None, {}, 1e400, "\ud800"]
    message = {
        "jsonrpc": dice.choice(["2.0", "1.0", 2, None]),
        "id": dice.choice(ids),
        "method": dice.choice(["tools/call", "tools/list", "ping", "", None, "x" * 5_000]),
        "params": dice.choice([{}, [], None, {"name": "read", "arguments": {"file_path": "\0"}}]),
    }
    body = bytearray(json.dumps(message).encode())
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(body))
        match dice.randrange(4):
            case 0:
                body[at] = dice.randrange(256)
            case 1:
                del body[at : at + dice.randrange(1, 20)]
            case 2:
                body[at:at] = b"[" * dice.randrange(1, 2_000)
            case _:
                body[at:at] = body[: dice.randrange(1, 40)]
        body = body or bytearray(b"{")
    return bytes(body)


def main(minutes: float, turns: int = 1) -> int:
    """Go in turns until the time is over and all turns are done; print the table."""
    dice = random.Random()
    seed = dice.randrange(1 << 30)
    dice.seed(seed)
    tally = Tally()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as top:
        kills, served = Kills(Path(top) / "kills", dice), Served(Path(top), dice)
        try:
            while not tally.faults and (turns > 0 or time.monotonic() - begun < minutes * 60):
                kills.turn(tally)
                throw_updates(tally, dice.randrange(1 << 30))
                served.turn(tally)
                turns -= 1
        finally:
            served.stop()
    print(f"| what | number |\n|---|---:|\n| minutes | {(time.monotonic() - begun) / 60:.1f} |")  # noqa: T201
    print(f"| seed | {seed} |")  # noqa: T201
    for name, number in tally.counts.items():
        print(f"| {name} | {number:,} |")  # noqa: T201
    for fault in tally.faults:
        print(f"FAULT: {fault}")  # noqa: T201
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), *map(int, sys.argv[2:])))
