"""Changes of many notes: whole, or not at all, wherever they are stopped."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Conflict, Unavailable
from commonplace.vault.documents.changes import Edited, Purpose
from commonplace.vault.documents.documents import Documents
from commonplace.vault.history.intents import Intent, Intents, Json
from commonplace.vault.log.log import Record
from commonplace.vault.log.sqlite import SqliteLog

pytestmark = pytest.mark.anyio

NOTES = ("a", "b", "c")


class Stopped(Exception):
    """The process is gone, as far as the intent can tell."""


class Appending:
    """Appends a word to each note; one whose text begins with `!` refuses it."""

    def __init__(self, documents: Documents, intents: Intents, stop: int = -1) -> None:
        self.documents = documents
        self.intents = intents
        self.left = stop

    def _tick(self) -> None:
        if not self.left:
            raise Stopped
        self.left -= 1

    async def carry_out(self, intent: Intent, step: int) -> None:
        self._tick()
        word = str(intent.steps[step]["word"])

        def plan(text: str) -> list[Edit]:
            if text.startswith("!"):
                raise Conflict("It refuses.")
            return [Edit(len(text), len(text), word)]

        def value(edited: Edited) -> Json:
            return {"length": len(edited.before)}

        purpose = Purpose("test", records=self.intents.done(intent, step, value))
        await self.documents.edit(str(intent.steps[step]["note"]), plan, "ann", purpose=purpose)
        self._tick()

    async def take_back(self, intent: Intent, step: int, done: Json) -> None:
        self._tick()
        length = done["length"]
        assert isinstance(length, int)
        purpose = Purpose("test", records=self.intents.back(intent, step))
        note = str(intent.steps[step]["note"])
        await self.documents.edit(
            note, lambda text: [Edit(length, len(text))], "ann", purpose=purpose
        )
        self._tick()

    async def close(self, intent: Intent, done: Mapping[int, Json]) -> Sequence[Record]:
        self._tick()
        return [Record("finished", intent.id, "yes")]


class World:
    """A log, documents, and whoever is to change them."""

    def __init__(self, folder: Path) -> None:
        self.log = SqliteLog(folder / "live.db")
        self.documents = Documents(self.log)
        self.intents = Intents(self.log)

    def carrier(self, stop: int = -1) -> Appending:
        carrier = Appending(self.documents, self.intents, stop)
        self.intents.register("append", carrier)
        return carrier

    async def texts(self) -> list[str]:
        return [(await self.documents.settled(note)).text for note in NOTES]

    async def write(self, note: str, text: str) -> None:
        await self.documents.edit(note, lambda _: [Edit(0, 0, text)], "ann")

    async def close(self) -> None:
        await self.documents.close()
        await self.log.close()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    world = World(tmp_path)
    yield world
    await world.close()


def intent() -> Intent:
    return Intent.new("append", "ann", [{"note": note, "word": "x"} for note in NOTES], set="s1")


async def test_an_intent_is_carried_out_and_closed(world: World) -> None:
    world.carrier()
    one = intent()
    assert await world.intents.run(one) == {step: {"length": 0} for step in range(3)}
    assert await world.texts() == ["x", "x", "x"]
    assert await world.intents.open() == []
    assert await world.log.records("intent-step") == {}
    assert await world.log.records("finished") == {one.id: "yes"}


async def test_one_is_under_way_until_it_is_on_record(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that cannot be made, and one that a crash cut short."""
    seen: list[bool] = []
    carrier = world.carrier()
    carry_out = carrier.carry_out

    async def look(intent: Intent, step: int) -> None:
        seen.append(world.intents.is_idle)
        await carry_out(intent, step)

    monkeypatch.setattr(carrier, "carry_out", look)
    await world.intents.until_idle()
    await world.intents.run(intent())
    assert world.intents.is_idle
    await world.write("c", "!")
    with pytest.raises(Conflict):
        await world.intents.run(intent())
    assert world.intents.is_idle
    left = intent()
    await world.log.put_records([Record("intent", left.id, left.packed())])
    await world.intents.recover()
    await world.intents.until_idle()
    assert seen == [False] * len(seen)
    assert len(seen) > 2 * len(NOTES)


async def test_if_one_step_cannot_be_made_none_is(world: World) -> None:
    world.carrier()
    await world.write("c", "!")
    with pytest.raises(Conflict, match="refuses"):
        await world.intents.run(intent())
    assert await world.texts() == ["", "", "!"]
    assert await world.intents.open() == []
    assert await world.log.records("finished") == {}


@pytest.mark.parametrize("refused", [False, True])
async def test_stopped_anywhere_it_is_whole_after_the_next_start(
    tmp_path: Path, *, refused: bool
) -> None:
    """Stop before and after every step, of the way there and of the way back."""
    for stop in range(20):
        folder = tmp_path / str(stop)
        folder.mkdir()
        world = World(folder)
        world.carrier(stop)
        if refused:
            await world.write("c", "!")
        ended = False
        try:
            await world.intents.run(intent())
            ended = True
        except Stopped:
            pass
        except Conflict:
            ended = True
        await world.close()
        again = World(folder)
        again.carrier()
        await again.intents.recover()
        expected = ["", "", "!"] if refused else ["x", "x", "x"]
        assert await again.texts() == expected, stop
        assert await again.intents.open() == []
        assert await again.log.records("intent-step") == {}
        await again.close()
        if ended:
            return
    pytest.fail("it was stopped every time")


async def test_without_the_marks_a_step_is_made_twice(world: World) -> None:
    """The control: a carrier that does not save what it did is found out."""

    class Careless(Appending):
        async def carry_out(self, intent: Intent, step: int) -> None:
            self._tick()
            note = str(intent.steps[step]["note"])
            await self.documents.edit(note, lambda text: [Edit(len(text), len(text), "x")], "ann")

    world.intents.register("append", Careless(world.documents, world.intents, 2))
    with pytest.raises(Stopped):
        await world.intents.run(intent())
    world.carrier()
    await world.intents.recover()
    assert await world.texts() == ["xx", "xx", "x"]


async def test_what_a_newer_program_says_of_an_intent_is_passed_over() -> None:
    one = intent()
    newer = one.packed().replace('{"id"', '{"later": 1, "id"', 1)
    assert Intent.unpacked(newer) == one


async def test_an_intent_of_an_unknown_kind_stays_open(world: World) -> None:
    one = intent()
    with pytest.raises(Unavailable):
        await world.intents.run(one)
    await world.intents.recover()
    assert await world.intents.open() == [one]


async def test_the_last_steps_come_after_those_that_are_made_together(world: World) -> None:
    made: list[int] = []

    class Listing(Appending):
        async def carry_out(self, intent: Intent, step: int) -> None:
            await super().carry_out(intent, step)
            made.append(step)

    world.intents.register("append", Listing(world.documents, world.intents))
    notes = [*NOTES, *NOTES]
    steps = [{"note": note, "word": "x"} for note in notes]
    await world.intents.run(Intent.new("append", "ann", steps, ordered=1, last=2))
    assert (made[0], sorted(made[1:4]), made[4:]) == (0, [1, 2, 3], [4, 5])
    made.clear()
    await world.intents.run(Intent.new("append", "ann", steps[:2], ordered=1, last=1))
    assert made == [0, 1]


async def test_what_takes_a_current_index_is_finished_late(world: World) -> None:
    stopped = Appending(world.documents, world.intents, 2)
    world.intents.register("append", stopped, late=True)
    with pytest.raises(Stopped):
        await world.intents.run(intent())
    stopped.left = -1
    await world.intents.recover()
    assert await world.texts() == ["x", "", ""]
    await world.intents.recover(late=True)
    assert await world.texts() == ["x", "x", "x"]
