"""`make bench`: measures the reading tools on real and on generated notes, peers in the same run.

    python -m bench [--notes 100000] [--hub FOLDER] [--more FOLDER]

`--hub` is a checkout of obsidian-community/obsidian-hub and `--more` another big vault; neither
is part of this repository. Without them the generated vault alone is measured; `--notes 0` leaves
that one out.

Programs and notes are in the system's memory when they are measured: everything runs once before,
unmeasured, since a disk of a shared machine may take seconds for what it has not read lately.
What takes seconds is measured three times and the median told.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import anyio

from bench.client import Client
from bench.generate import generate
from commonplace.cli import vault_access
from commonplace.cli.options import Flags, settle
from commonplace.vault.open import open_vault

ROUNDS = 200
PATTERNS = (
    "zqxjkv",
    "continuing",
    "obsidian-tasks",
    r"[A-Z]{3,}_[A-Z]+",
    "(?i)canvas",
    "kanban",
    "the",
    r"\w+",
)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "commonplace", *words]


def median(values: list[float]) -> float:
    return statistics.median(values)


def row(what: str, value: str, goal: str, good: bool | None) -> None:
    mark = " " if good is None else "✓" if good else "✗"
    print(f"{mark} {what:58} {value:>28}   {goal}", flush=True)


class Bench:
    """One vault, measured."""

    def __init__(self, folder: Path, scratch: Path) -> None:
        self.folder = folder
        self.state = scratch / f"state-{folder.name}"
        self.notes = [
            str(p.relative_to(folder))
            for p in folder.rglob("*.md")
            if not any(part.startswith(".") for part in p.relative_to(folder).parts)
        ]
        self.env = os.environ | {"COMMONPLACE_STATE": str(self.state)}
        self.settings = settle(Flags((str(folder),)), self.env, print)

    def mcp(self) -> Client:
        return Client(command("mcp", str(self.folder)), self.env)

    def run(self) -> None:
        print(f"\n{self.folder.name}: {len(self.notes)} notes")
        self.warm_up()
        self.first_answers()
        self.cold_index()
        client = self.restart()
        self.calls(client)
        self.visible(client)
        self.grep(client)
        self.memory(client)
        client.close()
        self.search()

    def first_answers(self) -> None:
        bare: list[float] = []
        ours: list[float] = []
        for _ in range(3):
            client = Client([sys.executable, "-m", "bench.bare", str(self.folder)])
            bare.append(client.handshake())
            client.close()
            shutil.rmtree(self.state, ignore_errors=True)
            client = self.mcp()
            ours.append(client.handshake())
            client.close()
        ratio = median(ours) / median(bare)
        row(
            "first answer, nothing indexed",
            f"{median(ours):.2f} s = {ratio:.2f} x bare",
            "≤ 1.3 x bare",
            ratio <= 1.3,
        )
        owner = self.mcp()
        owner.handshake()
        relayed: list[float] = []
        for _ in range(3):
            relay = self.mcp()
            relayed.append(relay.handshake())
            relay.close()
        owner.close()
        row(
            "first answer through a relay",
            f"{median(relayed):.3f} s",
            "< 0.3 s",
            median(relayed) < 0.3,
        )

    def warm_up(self) -> None:
        for path in self.notes:
            (self.folder / path).read_bytes()
        bare = Client([sys.executable, "-m", "bench.bare", str(self.folder)])
        bare.handshake()
        bare.close()
        self.index_from_nothing()
        client = self.mcp()
        client.handshake()
        client.call("semantic_search", query="what is this about")
        anyio.run(self.current)
        client.close()

    def index_from_nothing(self) -> float:
        shutil.rmtree(self.state, ignore_errors=True)
        start = time.perf_counter()
        subprocess.run(
            command("index", str(self.folder)), env=self.env, check=True, capture_output=True
        )
        return time.perf_counter() - start

    def cold_index(self) -> None:
        rates = [len(self.notes) / self.index_from_nothing() for _ in range(3)]
        row(
            "cold index, process start to end",
            f"{median(rates):.0f} notes/s",
            "≥ 2,500 notes/s",
            median(rates) >= 2500,
        )

    def restart(self) -> Client:
        seconds: list[float] = []
        for _ in range(2):
            client = self.started_again(seconds)
            client.close()
        client = self.started_again(seconds)
        row(
            "restart, nothing changed: current after",
            f"{median(seconds):.2f} s",
            "< 4 s at 100,000",
            median(seconds) < 4,
        )
        return client

    def started_again(self, seconds: list[float]) -> Client:
        start = time.perf_counter()
        client = self.mcp()
        client.handshake()
        anyio.run(self.current)
        seconds.append(time.perf_counter() - start)
        return client

    async def current(self) -> None:
        """Wait until the owner says that its index is current."""
        async with vault_access.opened(self.settings) as (vault, owner):
            assert owner, "the server should own the vault"
            while not vault.health.status()["current"]:  # noqa: ASYNC110 (of another process)
                await anyio.sleep(0.02)

    def calls(self, client: Client) -> None:
        rng = random.Random(1)
        chosen = rng.sample(self.notes, min(ROUNDS, len(self.notes)))
        bare = Client([sys.executable, "-m", "bench.bare", str(self.folder)])
        bare.handshake()
        ours: list[float] = []
        theirs: list[float] = []
        for path in chosen * 2:  # in turns: the machine's speed changes from second to second
            ours.append(client.timed("read", file_path=path))
            theirs.append(bare.timed("read", file_path=path))
        bare.close()
        ratio = median(ours) / median(theirs)
        row("read p50", f"{median(ours):.2f} ms = {ratio:.2f} x bare", "≤ 1.5 x bare", ratio <= 1.5)
        links = median([client.timed("get_links", file_path=path) for path in chosen])
        row("get_links p50", f"{links:.2f} ms", "< 3 ms", links < 3)
        listing = median([client.timed("glob", pattern="**/*.md") for _ in range(20)])
        row("glob **/*.md p50", f"{listing:.1f} ms", "< 60 ms at 100,000", listing < 60)

    def search(self) -> None:
        queries = [Path(path).stem for path in random.Random(2).sample(self.notes, 50)]

        by_words = replace(self.settings, models=None, embeddings=None)

        async def measure() -> list[float]:
            times: list[float] = []
            found = 0
            async with open_vault(by_words) as vault:
                await vault.indexer.settled()
                for query in queries:
                    start = time.perf_counter()
                    found += len(await vault.search.search(query, 10))
                    times.append((time.perf_counter() - start) * 1e3)
            assert found >= len(queries), "a note's own name should find it"
            return times

        p50 = median(anyio.run(measure))
        row(
            "ranked text search p50",
            f"{p50:.2f} ms",
            "< 5 ms on the hub",
            p50 < 5 or len(self.notes) > 20_000,
        )

    def visible(self, client: Client) -> None:
        seen: list[float] = []
        target = self.folder / "Bench visible.md"
        try:
            for n in range(5):
                word = f"visible{n}xyz"
                target.write_text(f"{word} [[{Path(self.notes[0]).stem}]]\n", encoding="utf-8")
                start = time.perf_counter()
                while "Bench visible.md" not in client.call("grep", pattern=word):
                    if time.perf_counter() - start > 10:
                        break
                    time.sleep(0.005)
                seen.append(time.perf_counter() - start)
        finally:
            target.unlink(missing_ok=True)
        row(
            "a changed file is found by grep after",
            f"{max(seen):.2f} s (worst of 5)",
            "< 0.5 s",
            max(seen) < 0.5,
        )

    def grep(self, client: Client) -> None:
        rg = str(Path(sysconfig.get_path("scripts")) / "rg")
        for pattern in PATTERNS:
            search = [rg, "--no-config", "-l", "--no-ignore", "-g", "*.md", "-e", pattern, "."]
            peer: list[float] = []
            ours: list[float] = []
            found = 0
            for _ in range(5):
                start = time.perf_counter()
                done = subprocess.run(search, cwd=self.folder, capture_output=True)
                peer.append((time.perf_counter() - start) * 1e3)
                found = done.stdout.count(b"\n")
                ours.append(client.timed("grep", pattern=pattern))
            ratio = median(peer) / median(ours)
            goal = 5.0 if found < 1000 else 1.0
            row(
                f"grep {pattern} ({found} notes)",
                f"{median(ours):.1f} ms, rg {median(peer):.1f} ms",
                f"rg / ours {ratio:.1f} (≥ {goal:.0f})",
                ratio >= goal,
            )

    def memory(self, client: Client) -> None:
        client.call("semantic_search", query="what is this about")
        owner, embedder = client.memory(), client.embedder()
        goal = 350 if len(self.notes) > 20_000 else 150
        shown = f"{owner.rss:.0f} MB, {owner.pss:.0f} its own"
        row("memory of the owner", shown, f"< {goal} MB", owner.rss < goal)
        if embedder is not None:
            shown = f"{embedder.rss:.0f} MB, {embedder.pss:.0f} its own"
            row("memory of the search model, while it runs", shown, "", None)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--notes", type=int, default=100_000)
    options.add_argument("--hub", type=Path, default=os.environ.get("BENCH_HUB"))
    options.add_argument("--more", type=Path, default=os.environ.get("BENCH_MORE"))
    chosen = options.parse_args()
    scratch = Path(tempfile.gettempdir()) / "commonplace-bench"
    scratch.mkdir(exist_ok=True)
    for folder in (chosen.hub, chosen.more):
        if folder is not None:
            Bench(Path(folder), scratch).run()
    if chosen.notes:
        generated = scratch / f"generated-{chosen.notes}"
        generated.mkdir(exist_ok=True)
        generate(generated, chosen.notes)
        Bench(generated, scratch).run()


if __name__ == "__main__":
    main()
