"""The way of a message: first answers, reads one by one and many at once, over pipes and HTTP.

    python -m bench.messages FOLDER [--peer "COMMAND …"]

`--peer` is another server on stdio, for its first answer. Everything is measured in turns with a
bare server on the Python SDK, since the speed of a machine changes from second to second.
"""

import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from bench.client import Client
from bench.http_load import calls_a_second

ROUNDS = 5
READS = 300
IN_FLIGHT = 32


class Messages:
    """One folder, served by us and by the peers."""

    def __init__(self, folder: Path, state: Path, peer: str | None) -> None:
        self.folder = str(folder)
        self.env = os.environ | {"COMMONPLACE_STATE": str(state)}
        self.peer = shlex.split(peer) if peer else None
        notes = [
            str(p.relative_to(folder))
            for p in folder.rglob("*.md")
            if not any(part.startswith(".") for part in p.relative_to(folder).parts)
        ]
        self.paths = random.Random(1).sample(notes, min(READS, len(notes)))

    def ours(self) -> Client:
        command = [sys.executable, "-m", "commonplace", "mcp", self.folder]
        return Client(command, self.env)

    def bare(self) -> Client:
        return Client([sys.executable, "-m", "bench.bare", self.folder])

    def run(self) -> None:
        subprocess.run(
            [sys.executable, "-m", "commonplace", "index", self.folder],
            env=self.env,
            check=True,
            capture_output=True,
        )
        self.first_answers()
        self.reads()
        self.over_http()

    def first_answers(self) -> None:
        peer = self.peer

        def first(make: Callable[[], Client]) -> float:
            client = make()
            seconds = client.handshake()
            client.close()
            return seconds

        makes = {"ours": self.ours, "bare": self.bare}
        if peer:
            makes["peer"] = lambda: Client(peer)
        times: dict[str, list[float]] = {name: [] for name in makes}
        for _ in range(ROUNDS):
            for name, make in makes.items():
                times[name].append(first(make))
        row("first answer, owner, s", times, "≤ 0.3 x bare, ≤ peer")

    def reads(self) -> None:
        clients: dict[str, Client] = {}
        for name, make in (("ours", self.ours), ("relay", self.ours), ("bare", self.bare)):
            clients[name] = make()  # one after the other: the first becomes the owner
            clients[name].handshake()
            many(clients[name], self.paths)
        single: dict[str, list[float]] = {name: [] for name in clients}
        for path in self.paths:
            for name, client in clients.items():
                single[name].append(client.timed("read", file_path=path))
        row("read, p50, ms", single, "≤ 0.4 x bare; relay 0.6 x")
        rates: dict[str, list[float]] = {name: [] for name in clients}
        for _ in range(ROUNDS):
            for name, client in clients.items():
                rates[name].append(many(client, self.paths))
        row(f"reads a second, {IN_FLIGHT} in flight", rates, "≥ 4 x bare")
        used = {name: [cpu_of(client, self.paths)] for name, client in clients.items()}
        del used["relay"]  # most of its work is done by the owner
        row("CPU a read, 32 in flight, µs", used, "")
        row("grep zqxjkv, p50, ms", {"ours": self.grep(clients["ours"])}, "≤ 5 ms on the hub")
        row("memory of the owner, MB", {"ours": [clients["ours"].memory().rss]}, "≤ 90 MB")
        for client in clients.values():
            client.close()

    def grep(self, client: Client) -> list[float]:
        return [client.timed("grep", pattern="zqxjkv") for _ in range(21)]

    def over_http(self) -> None:
        serve = [sys.executable, "-m", "commonplace", "serve", self.folder, "--port", "0"]
        bare = [sys.executable, "-m", "bench.bare_http", self.folder]
        with serving([*serve, "--no-open"], self.env) as our_url, serving(bare) as bare_url:
            urls = {"ours": our_url, "bare": bare_url}
            for url in urls.values():
                calls_a_second(url, self.paths, 1)
            rates: dict[str, list[float]] = {name: [] for name in urls}
            for _ in range(ROUNDS):
                for name, url in urls.items():
                    rates[name].append(calls_a_second(url, self.paths, 1))
        row("HTTP calls a second, 32 clients", rates, "≥ 3 x bare")


def many(client: Client, paths: list[str]) -> float:
    """Read all of these, so many at a time; how many a second."""
    process = client.process
    assert process.stdin
    assert process.stdout
    start = time.perf_counter()
    for sent in range(len(paths) + IN_FLIGHT):
        if sent >= IN_FLIGHT:
            assert b'"isError":false' in process.stdout.readline()
        if sent < len(paths):
            params = {"name": "read", "arguments": {"file_path": paths[sent]}}
            message = {"jsonrpc": "2.0", "id": sent, "method": "tools/call", "params": params}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
    return len(paths) / (time.perf_counter() - start)


def cpu_of(client: Client, paths: list[str]) -> float:
    """What a read costs the server's process, in µs of CPU: a busy machine changes it less."""

    def used() -> float:
        fields = Path(f"/proc/{client.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before = used()
    for _ in range(5):
        many(client, paths)
    return (used() - before) / (5 * len(paths)) * 1e6


@contextmanager
def serving(command: list[str], env: dict[str, str] | None = None) -> Generator[str]:
    """Run a server that prints its address; give that."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, text=True
    ) as process:
        assert process.stdout
        try:
            words = (word for line in process.stdout for word in line.split())
            yield next(word.rstrip("/") for word in words if word.startswith("http://"))
        finally:
            process.terminate()


def row(what: str, values: dict[str, list[float]], goal: str) -> None:
    middle = {name: statistics.median(found) for name, found in values.items()}
    told = [f"{name} {value:.3g}" for name, value in middle.items()]
    if "bare" in middle:
        told += [
            f"{name} / bare {value / middle['bare']:.2f}"
            for name, value in middle.items()
            if name != "bare"
        ]
    print(f"{what:34} {', '.join(told):70} {goal}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--peer")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as state:
        Messages(chosen.folder, Path(state), chosen.peer).run()


if __name__ == "__main__":
    main()
