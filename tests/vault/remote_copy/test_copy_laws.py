"""Random saves on both sides: no word that nobody deleted is lost, and both folders are equal.

Each word is written once in the whole test, so a search tells whether it is there.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest

from commonplace.vault.remote_copy.news import News
from commonplace.vault.remote_copy.remote_copy import RemoteCopy
from commonplace.vault.remote_copy.server import Address, RemoteServer, SaveReply, content_hash
from tests.vault.remote_copy.processes import Copy, Files, ServedVault, files_in, fill
from tests.wait import until

pytestmark = pytest.mark.slow

SEEDS = int(os.environ.get("COMMONPLACE_SEEDS", "2"))
ROUNDS = 8
NOTES = [f"{name}.md" for name in ("a", "b", "c", "Folder/d")]
WORD = re.compile(rb"w\d+x")
ALONE = re.compile(rb"(?<!\S)w\d+x(?!\S)")


@pytest.fixture
def served(tmp_path: Path) -> Generator[ServedVault]:
    words = Words()
    notes: Files = {
        path: b"".join(b"%s %s\n\n" % (words.new(), words.new()) for _ in range(6))
        for path in NOTES
    }
    with ServedVault(tmp_path, notes) as served:
        yield served


class Words:
    """Words that were never written before, and those that somebody deleted."""

    def __init__(self, first: int = 0) -> None:
        self._next = first
        self.written: set[bytes] = set()
        self.deleted: set[bytes] = set()

    def new(self) -> bytes:
        self._next += 1
        word = b"w%dx" % self._next
        self.written.add(word)
        return word


class Person:
    """Somebody who changes files of a folder as an editor does: reads, changes, saves."""

    def __init__(self, folder: Path, seed: str, words: Words) -> None:
        self.folder, self._random, self._words = folder, random.Random(seed), words

    def act(self, *, only_edits: bool = False) -> None:
        paths = sorted(path for path in files_in(self.folder) if path.endswith(".md"))
        chosen = self._random.choice(paths) if paths else ""
        roll = self._random.random()
        if only_edits or (paths and roll < 0.75):
            self._edit(chosen)
        elif roll < 0.85 or not paths:
            fill(
                self.folder, {f"New {self._random.randrange(10**9)}.md": self._words.new() + b"\n"}
            )
        elif roll < 0.95:
            target = self.folder / f"Moved {self._random.randrange(10**9)}.md"
            (self.folder / chosen).rename(target)
        else:
            self._words.deleted |= set(WORD.findall((self.folder / chosen).read_bytes()))
            (self.folder / chosen).unlink()

    def _edit(self, path: str) -> None:
        file = self.folder / path
        before = file.read_bytes()
        lines = before.split(b"\n")
        at = self._random.randrange(len(lines))
        roll = self._random.random()
        if roll < 0.6:
            lines[at] = lines[at] + b" " + self._words.new() if lines[at] else self._words.new()
        elif roll < 0.85:
            lines.insert(at, self._words.new())
        elif found := ALONE.findall(lines[at]):
            word = self._random.choice(found)
            self._words.deleted.add(word)
            lines[at] = lines[at].replace(word, b"")
        # Whoever puts a file back exactly as it was a moment ago means it.
        if (after := b"\n".join(lines)) != before:
            file.write_bytes(after)


def check(words: Words, files: Files, *, once: bool = True) -> None:
    found = Counter(word for data in files.values() for word in WORD.findall(data))
    missing = words.written - words.deleted - found.keys()
    assert not missing, f"{len(missing)} words are lost"
    if once:
        assert {word for word, count in found.items() if count > 1} == set()


def words_of(served: ServedVault) -> Words:
    words = Words(1_000)
    words.written |= {
        word for data in files_in(served.vault).values() for word in WORD.findall(data)
    }
    return words


async def bring_together(server: type[RemoteServer], url: str, folder: Path) -> None:
    def tell(_: News) -> None: ...

    state = folder.parent / "copies' state"
    async with RemoteCopy.open(server(Address.of(url)), folder, state, tell) as copy:
        await copy.once()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_both_did_offline_is_merged(served: ServedVault, tmp_path: Path, seed: int) -> None:
    words, folder = words_of(served), tmp_path / "copy"
    anyio.run(bring_together, RemoteServer, served.url, folder)
    people = [
        Person(folder, f"here {seed}", words),
        Person(served.vault, f"there {seed}", words),
    ]
    for _ in range(ROUNDS):
        for person in people:
            for _ in range(3):
                person.act()
        anyio.run(bring_together, RemoteServer, served.url, folder)
        assert files_in(folder) == files_in(served.vault)
        check(words, files_in(folder), once=False)


class CarelessServer(RemoteServer):
    """One that is told to take what was saved for a change of what it has: the last one wins."""

    def save(self, path: str, data: bytes, was: str, base: bytes | None, name: str) -> SaveReply:
        if base is not None:
            base = self.content(path)
            was = content_hash(base)
        return super().save(path, data, was, base, name)


def test_a_copy_that_merges_nothing_loses_words(served: ServedVault, tmp_path: Path) -> None:
    """The control."""
    words, folder = words_of(served), tmp_path / "copy"
    anyio.run(bring_together, CarelessServer, served.url, folder)
    people = [Person(folder, "here", words), Person(served.vault, "there", words)]
    for _ in range(12):
        for person in people:
            for _ in range(3):
                person.act(only_edits=True)
        anyio.run(bring_together, CarelessServer, served.url, folder)
    with pytest.raises(AssertionError, match="words are lost"):
        check(words, files_in(folder), once=False)


@pytest.mark.parametrize("seed", range(2))
def test_what_two_people_save_while_it_runs_is_on_both_sides(
    served: ServedVault, tmp_path: Path, seed: int
) -> None:
    words = words_of(served)
    one, two = (Copy(tmp_path, served.url, name) for name in ("one", "two"))
    with one.running() as first, two.running() as second:
        first.wait_for("ready")
        second.wait_for("ready")
        people = [
            Person(one.folder, f"{seed} one", words),
            Person(two.folder, f"{seed} two", words),
        ]
        for turn in range(25):
            for person in people:
                person.act(only_edits=True)
            seen = len(first.told()) + len(second.told())
            if turn % 3 == 0:  # now and then something has arrived in between
                until(lambda seen=seen: len(first.told()) + len(second.told()) > seen)
        until(
            lambda: (
                words.written - words.deleted
                <= {word for data in two.files().values() for word in WORD.findall(data)}
                and one.files() == two.files() == files_in(served.vault)
            )
        )
    check(words, one.files(), once=False)
    # Who saves twice while a file is being put in place may find a copy, and is told.
    copies = [path for path in one.files() if "conflict" in path]
    assert len(copies) <= len(first.told("conflict") + second.told("conflict"))
