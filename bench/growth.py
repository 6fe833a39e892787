"""How a vault's size shows: the first index, a restart, the first questions, memory.

    python -m bench.growth [--notes 30000 300000] [--folder SCRATCH] [--again]

Notes of about 4 kB, made once for each size and kept in SCRATCH; without search by meaning.
`--again` measures the restart and the tools over an index that an earlier run has made.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import anyio

from bench.client import Client
from bench.generate import NOTES_A_FOLDER, Zipf, path, words
from commonplace.cli import vault_access
from commonplace.cli.options import Flags, settle
from commonplace.vault.settings import Settings

CALLS = 40
RARE = 2_000
_SENTENCES = 20_000
_PARAGRAPHS = 18


class Notes:
    """Draws notes of about 4 kB: sentences by the thousand, links and words with falling chance."""

    def __init__(self, size: int) -> None:
        self._rng = rng = random.Random(7)
        self._vocabulary = words(20_000, rng)
        word = Zipf(len(self._vocabulary), 1.0, rng)
        self._linked = Zipf(size, 0.8, rng)
        self._sentences = [
            " ".join(self._vocabulary[word.pick()] for _ in range(rng.randint(6, 18))).capitalize()
            for _ in range(_SENTENCES)
        ]

    def draw(self, number: int) -> str:
        rng, sentences = self._rng, self._sentences
        head = (
            f"---\ntitle: {rng.choice(sentences)}\ntags: [topic/{self._word()}]\n"
            f"status: {rng.choice(['draft', 'done', 'idea'])}\nrating: {rng.randint(1, 5)}\n---\n"
            f"# Note {number:06}\n\n"
        )
        rare = f"qq{number // RARE:05}zz\n" if number % RARE == 0 else ""
        body = "\n\n".join(
            f"{rng.choice(sentences)}. [[Note {self._linked.pick():06}]] {rng.choice(sentences)}. "
            f"#{self._word()}"
            for _ in range(_PARAGRAPHS)
        )
        return f"{head}{rare}{body}\n"

    def _word(self) -> str:
        return self._vocabulary[self._rng.randrange(200)]


def made(folder: Path, size: int) -> Path:
    """Write the notes, unless they are there; return where."""
    notes, done = folder / f"grown-{size}", folder / f"grown-{size}.done"
    if not done.exists():
        drawn = Notes(size)
        for number in range(size):
            file = notes / path(number)
            if number % NOTES_A_FOLDER == 0:
                file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(drawn.draw(number), encoding="utf-8")
        done.touch()
    return notes


def written_bytes() -> int:
    """Return what this process, and those that it has waited for, have written to a disk."""
    rows = Path("/proc/self/io").read_text().splitlines()
    return int(dict(row.split(": ") for row in rows)["write_bytes"])


def p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95) - 1]


class Growth:
    """One vault of one size, measured."""

    def __init__(self, scratch: Path, size: int) -> None:
        self.size, self.notes = size, made(scratch, size)
        self.state = scratch / f"state-{size}"
        self.env = os.environ | {
            "COMMONPLACE_STATE": str(self.state),
            "COMMONPLACE_EMBEDDINGS": "none",
            "COMMONPLACE_POLICY": "create=allow,update=allow,delete=allow",
        }
        self.settings: Settings = settle(Flags((str(self.notes),)), self.env, print)

    def run(self, *, again: bool) -> None:
        print(f"\n{self.size:,} notes", flush=True)
        if not again:
            self.build()
        client = self.restart()
        self.first_questions(client)
        self.calls(client)
        memory = client.memory()
        files = memory.rss - memory.anonymous  # which the system takes back when it needs room
        print(
            f"  memory of the owner: {memory.anonymous:.0f} MB, and {files:.0f} MB of files",
            flush=True,
        )
        client.close()

    def build(self) -> None:
        size = sum(file.stat().st_size for file in self.notes.rglob("*.md")) / 1e6
        shutil.rmtree(self.state, ignore_errors=True)
        before, start = written_bytes(), time.perf_counter()
        command = [sys.executable, "-m", "commonplace", "index", str(self.notes)]
        subprocess.run(command, env=self.env, check=True, capture_output=True)
        seconds = time.perf_counter() - start
        share = (written_bytes() - before) / 1e6 / size
        print(
            f"  first index of {size:,.0f} MB: {seconds:.1f} s, {size / seconds:.1f} MB/s; "
            f"{share:.2f} bytes written for each byte of notes",
            flush=True,
        )

    def restart(self) -> Client:
        client = Client([sys.executable, "-m", "commonplace", "mcp", str(self.notes)], self.env)
        client.handshake()
        client.call("read", file_path=path(self.size // 2))
        first = time.perf_counter() - client.started
        anyio.run(self._current)
        current = time.perf_counter() - client.started
        print(f"  restart: first read {first:.2f} s, all current {current:.2f} s", flush=True)
        return client

    async def _current(self) -> None:
        async with vault_access.opened(self.settings) as (vault, owner):
            assert owner, "the server should own the vault"
            while not vault.health.status()["current"]:  # noqa: ASYNC110 (of another process)
                await anyio.sleep(0.02)

    def first_questions(self, client: Client) -> None:
        hubs = client.timed("get_hubs")
        found = client.timed("find_path", source=path(self.size // 3), target=path(self.size // 5))
        print(f"  the first get_hubs {hubs:.0f} ms, find_path {found:.0f} ms", flush=True)

    def calls(self, client: Client) -> None:
        rng = random.Random(5)

        def some() -> str:
            return path(rng.randrange(self.size))

        def new(n: int) -> str:
            return f"Bench/Made {self.size} {n} {time.time_ns()}"

        tools: dict[str, Callable[[int], dict[str, object]]] = {
            "read": lambda _: {"file_path": some()},
            "glob": lambda n: {"pattern": f"Area {n % -(-self.size // 2_000):02}/**/*7.md"},
            "grep": lambda n: {"pattern": f"qq{n % -(-self.size // RARE):05}zz"},
            "get_links": lambda _: {"file_path": some()},
            "read_note": lambda _: {"path": some()},
            "read_metadata": lambda _: {"path": some()},
            "list_notes": lambda n: {"folder": f"Area {n % -(-self.size // 2_000):02}"},
            "text_search": lambda n: {"query": f"qq{n % -(-self.size // RARE):05}zz"},
            "property_search": lambda n: {"properties": {"rating": n % 5 + 1}, "limit": 20},
            "get_kiln_info": lambda _: {},
            "get_node": lambda _: {"id": some()},
            "get_neighbors": lambda _: {"id": some()},
            "find_path": lambda _: {"source": some(), "target": some()},
            "get_hubs": lambda _: {},
            "search_by_tags": lambda n: {"tags": [self._tag(client, n)]},
            "random_node": lambda _: {},
            "history": lambda _: {},
            "blame": lambda _: {"path": some()},
            "create_note": lambda n: {"path": f"{new(n)}.md", "content": "New.\n"},
            "create_node": lambda n: {"title": f"Node {n} {time.time_ns()}", "content": "New.\n"},
        }
        for tool, arguments in tools.items():
            self._tell(client, tool, [arguments(n) for n in range(CALLS)])
        self._written(client)

    def _tag(self, client: Client, n: int) -> str:
        text = client.call("read", file_path=path(n))
        return text.partition("tags: [")[2].partition("]")[0]

    def _written(self, client: Client) -> None:
        """Create notes by name, change and delete them."""
        names = [f"Bench/Kept {n} {time.time_ns()}.md" for n in range(CALLS)]
        for name in names:
            client.call("create_note", path=name, content="one two\n")
            client.call("read", file_path=name)
        edit = {"old_string": "one", "new_string": "three"}
        self._tell(client, "edit", [{"file_path": name, **edit} for name in names])
        self._tell(client, "update_note", [{"path": n, "content": "four\n"} for n in names])
        self._tell(client, "update_node", [{"id": n, "content": "five\n"} for n in names])
        half = len(names) // 2
        self._tell(client, "delete_note", [{"path": name} for name in names[:half]])
        self._tell(client, "delete_node", [{"id": name} for name in names[half:]])

    def _tell(self, client: Client, tool: str, calls: list[dict[str, object]]) -> None:
        times: list[float] = []
        failed: list[str] = []
        for arguments in calls:
            start = time.perf_counter()
            answer = client.request("tools/call", {"name": tool, "arguments": arguments})
            times.append((time.perf_counter() - start) * 1e3)
            if "error" in answer or answer["result"].get("isError"):
                failed.append(str(answer))
        said = f"; {len(failed)} FAILED: {failed[0][:200]}" if failed else ""
        middle = sorted(times)[len(times) // 2]
        print(f"  {tool:<16} p50 {middle:7.1f} ms, p95 {p95(times):7.1f} ms{said}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--notes", type=int, nargs="+", default=[30_000, 300_000])
    options.add_argument("--folder", type=Path, default=None)
    options.add_argument("--again", action="store_true")
    chosen = options.parse_args()
    scratch = chosen.folder or Path(tempfile.gettempdir()) / "commonplace-bench"
    scratch.mkdir(parents=True, exist_ok=True)
    for size in chosen.notes:
        Growth(scratch, size).run(again=chosen.again)


if __name__ == "__main__":
    main()
