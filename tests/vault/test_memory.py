"""Memory that is given back."""

import subprocess
import sys

import pytest

HOLES = """

from commonplace.vault import memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4 // 1024

memory.share_one_heap()
kept = [(b"x" * 1000, b"x" * 60_000) for _ in range(2_000)]  # all in one heap, side by side
kept = [small for small, _ in kept]
before = resident()
memory.give_back()
print(before, resident())
"""


BOMBS = """
import sys, tempfile, time
from pathlib import Path

import anyio
import numpy  # a search in many notes loads it, once, and it stays

from commonplace.vault import memory
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4 // 1024

async def main(top, state):
    (top / "a.md").write_text("a [[b]]\\n")
    async with open_vault(Settings((Root("v", top),), state)) as vault:
        await vault.indexer.settled()
        await vault.reader.read("a.md", "x", "x")
        memory.give_back()
        before, most = resident(), 0
        for round in range(2):
            (top / "tags.md").write_text(" ".join(f"#tag{round}x{n}" for n in range(80_000)))
            await vault.indexer.update(["tags.md"])
            await vault.reader.read("tags.md", "x", "x")
            await vault.listing.tags()
            most = max(most, resident())
            (top / "tags.md").unlink()
            await vault.indexer.update(["tags.md"])
        end = time.monotonic() + 60
        while (after := resident()) > 1.4 * before and time.monotonic() < end:
            await anyio.sleep(0.2)
        print(before, most, after)

memory.share_one_heap()
with tempfile.TemporaryDirectory() as place:
    top = Path(place, "v")
    top.mkdir()
    anyio.run(main, top, Path(place, "s"))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the heaps in question are glibc's")
def test_a_note_of_many_tags_leaves_little_behind() -> None:
    done = subprocess.run([sys.executable, "-c", BOMBS], capture_output=True, text=True, check=True)
    before, most, after = map(int, done.stdout.split())
    assert most > 1.4 * before, "it took little anyway"
    assert after <= 1.4 * before


@pytest.mark.skipif(sys.platform != "linux", reason="the heaps in question are glibc's")
def test_what_is_free_between_other_things_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", HOLES], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before > 100, "the system had taken it back by itself"
    assert after < 60
