"""Programs that save notes while two people type in each and a third program syncs the disk.

    python -m tests.live.savers SAVES [FOLDER …]

Nobody deletes anything, so at the end every word must be there, once: in the note as it is live and
in its file. Each kind of saver has a note of its own, of one server. Prints a table; fails if a
word was lost.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread

from tests.debian import install_missing
from tests.live.product import Product
from tests.live.saver import SAVERS, missing
from tests.live.typist import Typist, typist
from tests.node import node
from tests.wait import PATIENCE

HERE = Path(__file__).parent
PARAGRAPHS = 100
TYPISTS = 2


@dataclass(slots=True)
class Result:
    """What became of one note."""

    kind: str
    saves: int = 0
    typed: int = 0
    slowest: float = 0.0
    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])
    file_differs: bool = False

    @property
    def whole(self) -> bool:
        """Whether every word is there once, live and in the file."""
        return not (self.lost or self.doubled or self.file_differs)


class Note:
    """One note, those who type in it, and the program that saves it."""

    def __init__(self, kind: str, product: Product, seed: int) -> None:
        self.kind = kind
        self.file = product.folder / f"{kind}.md"
        self._seed = seed
        self._words = Counter(
            word for n in range(PARAGRAPHS) for word in f"paragraph-{n:04} of {kind}".split()
        )
        self.file.write_text("".join(f"paragraph-{n:04} of {kind}\n" for n in range(PARAGRAPHS)))
        self.result = Result(kind)
        self._saves = True

    async def play(self, people: Sequence[Typist], saves: int, pause: float) -> None:
        """Save and type until all saves are done."""
        printed: list[str] = []
        async with anyio.create_task_group() as tasks:
            for number, person in enumerate(people):
                tasks.start_soon(self._type, person, number)
            printed += await anyio.to_thread.run_sync(self._save, saves, pause)
            self._saves = False
        self.result.saves = len(printed)
        self._words.update(line.split()[0] for line in printed)
        self.result.slowest = max(float(line.split()[1]) for line in printed)

    async def judge(self, person: Typist, patience: float) -> Result:
        """Compare what is there with what was written, once it is right or time is up."""
        end = time.monotonic() + patience
        while True:
            await person.in_step()
            live, file = str(person), self.file.read_text()
            if (live == file and Counter(live.split()) == self._words) or time.monotonic() > end:
                break
            await anyio.sleep(0.2)
        found, result = Counter(live.split()), self.result
        result.lost = list((self._words - found).elements())
        result.doubled = list((found - self._words).elements())
        result.file_differs = live != file
        return result

    def _save(self, saves: int, pause: float) -> list[str]:
        arguments = [str(self.file), str(saves), str(pause), str(self._seed)]
        if self.kind == "node":
            command = [str(node()), str(HERE / "saver.mjs"), *arguments]
        else:
            command = [sys.executable, str(HERE / "saver.py"), self.kind, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.splitlines()

    async def _type(self, person: Typist, number: int) -> None:
        rng = random.Random(self._seed * TYPISTS + number)
        count = 0
        while self._saves:
            word = f"{rng.randrange(1 << 32):08x}-typed{number}-{count}"
            text = str(person)
            await person.type(text.find("\n", rng.randrange(len(text) + 1)) + 1, word + " ")
            self._words[word] += 1
            self.result.typed += 1
            count += 1
            await anyio.sleep(rng.uniform(0.02, 0.3))


@asynccontextmanager
async def _synced_in_a_loop(folder: Path) -> AsyncGenerator[None]:
    process = subprocess.Popen([sys.executable, str(HERE / "saver.py"), "sync", str(folder)])
    try:
        yield
    finally:
        process.kill()
        process.wait()
        (folder / "big").unlink()


def install_programs() -> None:
    """Install the programs that this machine lacks, where that can be done."""
    install_missing(lambda: sorted({program for program in map(missing, SAVERS) if program}))


def kinds_here() -> list[str]:
    """Name the savers that can be tried on this machine."""
    install_programs()
    return ["node", *(kind for kind in SAVERS if missing(kind) is None)]


async def play(
    product: Product,
    saves: int,
    kinds: Sequence[str],
    *,
    pause: float = 0.1,
    patience: float = PATIENCE,
) -> list[Result]:
    """Let each kind of saver save a note of its own so many times; tells what became of each."""
    notes = [Note(kind, product, seed) for seed, kind in enumerate(kinds)]
    results: list[Result] = []
    with product:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(_synced_in_a_loop(product.folder.parent))
            people: list[list[Typist]] = []
            for note in notes:
                document = product.ask("/api/document", path=note.file.name)["id"]
                url = f"{product.ws}/{document}"
                people.append(
                    [await stack.enter_async_context(typist(url)) for _ in range(TYPISTS)]
                )
            async with anyio.create_task_group() as tasks:
                for note, typing in zip(notes, people, strict=True):
                    tasks.start_soon(note.play, typing, saves, pause)
            for note, typing in zip(notes, people, strict=True):
                results.append(await note.judge(typing[0], patience))
    return results


def main(saves: int, folders: Sequence[Path]) -> int:
    """Run on each folder and print what was seen."""
    failed = 0
    kinds = kinds_here()
    for kind in SAVERS:
        if program := missing(kind):
            sys.stdout.write(f"Left out: {kind}, as {program} is not installed.\n")
    for folder in folders:
        with tempfile.TemporaryDirectory(dir=folder) as home:
            began = time.monotonic()
            each = -(-saves // len(kinds) // len(folders))
            results = anyio.run(play, Product(Path(home)), each, kinds)
        lines = [f"{folder}: {time.monotonic() - began:.0f} s", _HEAD, *map(_row, results), ""]
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
        failed += sum(not one.whole for one in results)
    return 1 if failed else 0


_HEAD = f"{'saver':10} {'saves':>6} {'typed':>6} {'lost':>6} {'twice':>6} {'slowest':>8}  file"


def _row(one: Result) -> str:
    lost, doubled = len(one.lost), len(one.doubled)
    file = "differs" if one.file_differs else "agrees"
    counts = f"{one.kind:10} {one.saves:6} {one.typed:6} {lost:6} {doubled:6}"
    some = " ".join(["", *one.lost[:3], *one.doubled[:3]])
    return f"{counts} {one.slowest:7.2f}s  {file}{some}"


if __name__ == "__main__":
    # Some of the programs work in another folder: what is relative would not be found there.
    places = [Path(name).resolve() for name in sys.argv[2:]] or [Path(tempfile.gettempdir())]
    sys.exit(main(int(sys.argv[1]), places))
