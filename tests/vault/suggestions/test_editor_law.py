"""The law of deciding in an editor, on random saves, against a model of a note and a person.

A note has one to five suggestions of two assistants. A person's editor loaded it at some moment and
saves from 0 to 5 s after a suggestion arrived; the person accepted, rejected or left each that was
there, and changed other words. Then

    the file says what the person saved, with what came after they loaded it
    each decision is on record, "in the file", and told to its assistant, and nothing else is
    where a save that had not seen a suggestion gives the same bytes as its rejection, it waits on,
        and is shown as perhaps rejected in the file

The model knows nothing of markup but how a suggestion is written, and compares whole texts: it goes
through all ways in which the bytes can have come about. Some saves here, 5,000 in `make laws`.
"""

import math
import os
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Literal

import anyio
import pytest

from commonplace.core.critic.decide import Choice
from commonplace.vault.documents.file import decided_by_hand
from commonplace.vault.documents.file.stable_read import Caution
from commonplace.vault.documents.file.versions import OVERLAP_SECONDS
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

SAVES = int(os.environ.get("COMMONPLACE_SAVES", "100"))
ENOUGH = 50
SECONDS_MAX = 20.0
ASSISTANTS = (Suggester("one", "One"), Suggester("two", "Two"))
IN_THE_FILE = "another program, in the file"

Way = Literal["accept", "reject", "keep"]
WAYS: tuple[Way, ...] = ("accept", "reject", "keep")
KEPT: tuple[Way, ...] = ("keep",) * 5
BIASES: tuple[tuple[Way, ...], ...] = (
    WAYS,
    WAYS,
    ("keep", "accept"),
    ("reject", "keep"),
    ("accept",),
)


@dataclass
class Clock:
    """Time goes on when somebody waits."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        # However little is waited for, time goes on; late in the day a sum may be what it was.
        self.now = max(self.now + seconds, math.nextafter(self.now, math.inf))


@dataclass(frozen=True)
class Suggestion:
    """A passage to be replaced: `old` may be empty (an insertion behind `anchor`), or `new`."""

    anchor: str
    old: str
    new: str
    assistant: Suggester

    @property
    def call(self) -> tuple[str, str]:
        return self.anchor + self.old, self.anchor + self.new

    def shown(self, way: Way) -> str:
        if way != "keep":
            return self.anchor + (self.new if way == "accept" else self.old)
        old = f"{{--{self.old}--}}" if self.old else ""
        return self.anchor + old + (f"{{++{self.new}++}}" if self.new else "")


@dataclass
class Model:
    """A note of words, some of which are replaced by suggestions, and by the person's changes."""

    chance: random.Random
    words: list[str] = field(default_factory=list[str])
    suggestions: dict[int, Suggestion] = field(default_factory=dict[int, Suggestion])
    """By the place of the word that they are about, in the order in which they came."""
    changes: dict[int, str] = field(default_factory=dict[int, str])

    def begin(self) -> None:
        for _ in range(self.chance.choice((6, 12, 30, 80))):
            self.words.append(self.word() + self.chance.choice((" ", " ", " ", ".\n")))
        self.words[-1] = self.words[-1].rstrip() + "\n"

    def word(self) -> str:
        """Return a word that stands nowhere else."""
        others = {part for each in self.all_words() for part in each.replace(".", " ").split()}
        while True:
            word = "".join(self.chance.choices("abcdefgh", k=self.chance.randint(3, 9)))
            if not any(word in other or other in word for other in others):
                return word

    def _other_word(self, word: str) -> str:
        """Return a word that this does not become by characters only added or only removed."""
        while True:
            other = self.word()
            if other[0] != word[0]:
                return other

    def all_words(self) -> Iterator[str]:
        yield from self.words
        yield from self.changes.values()
        for each in self.suggestions.values():
            yield from (part for part in (each.old, each.new) if part)

    def suggest(self) -> Suggestion:
        free = [at for at in range(len(self.words)) if at not in self.suggestions]
        at = self.chance.choice(free)
        word, rest = _split(self.words[at])
        kind = self.chance.choice(("replace", "replace", "insert", "line", "delete"))
        by = self.chance.choice(ASSISTANTS)
        match kind:
            case "insert":
                made = Suggestion(word, "", f" {self.word()}", by)
            case "line":
                made = Suggestion(word + rest, "", f"{self.word()} {self.word()}.\n", by)
                if not rest.endswith("\n"):
                    made = Suggestion(word, "", f" {self.word()} {self.word()}", by)
            case "delete":
                made = Suggestion("", word, "", by)
            case _:
                made = Suggestion("", word, self._other_word(word), by)
        self.suggestions[at] = made
        return made

    def change(self) -> None:
        """Let the person change words that no suggestion is about."""
        free = [at for at in range(len(self.words)) if at not in self.suggestions]
        for at in self.chance.sample(free, min(len(free), self.chance.choice((0, 0, 1, 2, 4)))):
            word, rest = _split(self.words[at])
            more = [self.word() for _ in range(self.chance.choice((0, 1, 1, 3)))]
            kept = self.chance.choice(("no", "no", "before", "behind"))
            more = [*[word] * (kept == "before"), *more, *[word] * (kept == "behind")]
            self.changes[at] = " ".join(more) + self.chance.choice((rest, rest, "!\n"))

    def text(self, ways: Sequence[Way], *, changed: bool) -> str:
        """Return the note with its first suggestions, as many as there are ways."""
        there = dict(zip(self.suggestions, ways, strict=False))
        return "".join(self._part(at, word, there, changed) for at, word in enumerate(self.words))

    def _part(self, at: int, word: str, there: Mapping[int, Way], changed: bool) -> str:
        if at in there:
            each = self.suggestions[at]
            return each.shown(there[at]) + word[len(each.anchor + each.old) :]
        return self.changes.get(at, word) if changed else word


def _split(word: str) -> tuple[str, str]:
    bare = word.rstrip(" .\n")
    return bare, word[len(bare) :]


@dataclass(frozen=True)
class Outcome:
    """What is right: each suggestion's way, and which are in doubt."""

    ways: tuple[Way, ...]
    doubted: frozenset[int]


def right(model: Model, held: Sequence[int], saved: str) -> Outcome:
    """Go through all stories that end in the saved bytes: a text that was held, and each decision.

    `held` are the numbers of suggestions in the texts that the editor may have loaded.
    """
    total = len(model.suggestions)
    stories = {
        (*ways, *KEPT[: total - count])
        for count in held
        for ways in product(WAYS, repeat=count)
        if model.text(ways, changed=True) == saved
    }
    assert stories, "the model does not know its own save"
    each = [{story[at] for story in stories} for at in range(total)]
    assert all(len(found) == 1 or found == {"reject", "keep"} for found in each)
    doubted = frozenset(at for at, found in enumerate(each) if len(found) > 1)
    return Outcome(min(stories), doubted)  # "keep" stands before "reject"


class Bench:
    """A vault in which one note after the other is tried."""

    def __init__(self, vault: Vault, folder: Path, clock: Clock) -> None:
        self.vault = vault
        self.folder = folder
        self.clock = clock
        self.seen = Counter[str]()

    async def try_save(self, seed: int) -> None:
        """Make a note, let suggestions come and a person save, and compare with what is right."""
        chance = random.Random(seed)
        model = Model(chance)
        model.begin()
        path = f"n{seed}.md"
        file = self.folder / path
        await self.vault.write.create(path, model.text((), changed=False))
        for one in ASSISTANTS:
            await self.vault.reader.read(path, one.id, one.name)
        id = await self.vault.notes.ids.id_of(path)
        arrived = [await self._arrive(model, path, id) for _ in range(chance.randint(1, 5))]
        assert file.read_text() == model.text(KEPT[: len(arrived)], changed=False)
        self.clock.now += chance.uniform(0, OVERLAP_SECONDS)
        held = [at for at, when in enumerate(arrived) if self.clock.now - when <= OVERLAP_SECONDS]
        held.append(len(arrived))
        loaded = chance.choice(held)
        model.change()
        bias = chance.choice(BIASES)
        ways: list[Way] = [chance.choice(bias) for _ in range(loaded)]
        saved = model.text(ways, changed=True)
        if chance.random() < 0.5:
            await self.vault.ends.look()
        await self.vault.notes.queue.catch_up(id)  # as somebody looks every few seconds
        file.write_text(saved)
        await self.vault.notes.queue.catch_up(id)
        await self.vault.notes.queue.flush(id)
        wanted = right(model, held, saved)
        self.seen.update(["saves", *wanted.ways, *["doubted"] * len(wanted.doubted)])
        await self._compare(model, path, wanted, f"seed {seed}: loaded {loaded}, saved {saved!r}")

    async def _arrive(self, model: Model, path: str, id: str) -> float:
        """Let a suggestion come, and be written into the file; tell when that was."""
        self.clock.now += model.chance.choice((0.0, 0.4, 1.0, 3.0, 6.0))
        each = model.suggest()
        await self.vault.suggestions.suggest(path, *each.call, each.assistant)
        await self.vault.notes.queue.flush(id)
        if model.chance.random() < 0.3:
            await self.vault.ends.look()
        return self.clock.now

    async def _compare(self, model: Model, path: str, wanted: Outcome, about: str) -> None:
        file = self.folder / path
        assert file.read_text() == model.text(wanted.ways, changed=True), about
        rows = list(model.suggestions.values())
        ended = [(each, way) for each, way in zip(rows, wanted.ways, strict=True) if way != "keep"]
        on_record = Counter((way, IN_THE_FILE, each.old, each.new) for each, way in ended)
        found = Counter[tuple[str, str, str, str]]()
        with anyio.move_on_after(SECONDS_MAX):
            while (found := await self._on_record(path)) != on_record:
                await anyio.sleep(0.01)
                await self.vault.ends.look()
        assert found == on_record, about
        pending = await self.vault.pending.listed(path)
        doubts = Counter(
            (each.old, each.new, at in wanted.doubted)
            for at, each in enumerate(rows)
            if wanted.ways[at] == "keep"
        )
        assert Counter((s.old, s.new, s.perhaps_rejected) for s in pending) == doubts, about
        for assistant in ASSISTANTS:
            read = await self.vault.reader.read(path, assistant.id, assistant.name)
            told = Counter((one.verdict, one.who, one.old, one.new) for one in read.decided)
            theirs = [(each, way) for each, way in ended if each.assistant == assistant]
            assert told == Counter((w, IN_THE_FILE, e.old, e.new) for e, w in theirs), about
            shown = Counter((one.old, one.new, one.perhaps_rejected) for one in read.pending)
            assert shown == doubts, about

    async def _on_record(self, path: str) -> Counter[tuple[str, str, str, str]]:
        ended = self.vault.ledger.ended("", path, 0.0)
        return Counter((one.decision, one.who, one.old, one.new) for one in ended)


async def run(folder: Path, seeds: Sequence[int]) -> Counter[str]:
    """Try one note for each seed; return what was seen."""
    vault, clock = folder / "vault", Clock()
    vault.mkdir()
    settings = Settings((Root("vault", vault),), folder / "state")
    async with open_vault(settings, caution=Caution(clock, clock.sleep)) as opened:
        await opened.indexer.settled()
        bench = Bench(opened, vault, clock)
        for seed in seeds:
            await bench.try_save(seed)
    return bench.seen


async def test_what_a_person_decides_in_an_editor_is_what_happens(tmp_path: Path) -> None:
    first = int(os.environ.get("COMMONPLACE_SEED", "0"))
    seen = await run(tmp_path, range(first, first + SAVES))
    assert SAVES < ENOUGH or all(seen[each] for each in (*WAYS, "doubted")), seen


def _none(_: str) -> list[Choice]:
    return []


async def test_a_save_that_is_only_compared_with_whole_texts_would_break_the_law(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: without the images of accepting and rejecting, decisions are undone."""
    monkeypatch.setattr(decided_by_hand, "choices", _none)
    with pytest.raises(AssertionError, match="seed"):
        await run(tmp_path, range(100))
