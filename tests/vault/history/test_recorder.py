"""What happens to live documents, taken down as revisions."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from commonplace.vault.documents.changes import Purpose
from commonplace.vault.documents.documents import Documents
from commonplace.vault.documents.engine.replica import Replica
from commonplace.vault.history.drafts import TYPING_SECONDS
from commonplace.vault.history.history import Revision, RevisionFilter
from commonplace.vault.history.recorder import Recorder
from commonplace.vault.history.sqlite import SqliteHistory
from commonplace.vault.settings import Retention
from tests.vault.log.troubled_log import TroubledLog
from tests.wait import eventually

pytestmark = pytest.mark.anyio

ID = "note"


class Desk:
    """A log, a history, documents, and a clock that stands."""

    def __init__(self, folder: Path) -> None:
        self.now = 1_000.0
        self.log = TroubledLog(folder / "live.db")
        self.history = SqliteHistory(folder / "history.db")
        self.recorder = Recorder(self.history, self.log, self.path_of, lambda: self.now)
        self.documents = Documents(self.log, recorder=self.recorder)

    async def path_of(self, _: str) -> str:
        return "a.md"

    async def type(self, text: str, actor: str, at: int = -1) -> None:
        """Insert text as a socket would."""
        settled = await self.documents.settled(ID)
        replica = Replica(abs(hash(actor)) % 10**9)
        replica.apply([settled.state])
        place = len(settled.text) if at < 0 else at
        after = settled.text[:place] + text + settled.text[place:]
        update = replica.write([Edit(place, place, text)], after)
        await self.documents.apply(ID, update, actor)

    async def edit(self, text: str, actor: str, purpose: Purpose | None = None) -> None:
        """Append text as a tool would."""
        await self.documents.edit(
            ID,
            lambda now: [Edit(len(now), len(now), text)],
            actor,
            purpose=purpose or Purpose("call"),
        )

    async def revisions(self) -> list[Revision]:
        await self.recorder.flush()
        return (await self.history.revisions(RevisionFilter(document=ID, limit=5_000)))[::-1]

    async def told(self) -> list[tuple[str, str, str]]:
        return [
            (each.actor, each.cause, "".join(change.added for change in each.delta))
            for each in await self.revisions()
            if each.cause != "before"
        ]

    async def check(self) -> None:
        """The history's newest text is the document's, and blame sums to it."""
        await self.recorder.flush()
        head = await self.history.head(ID)
        assert head is not None
        assert head.text == (await self.documents.settled(ID)).text
        assert sum(length for length, _ in head.blame) == len(head.text)

    async def close(self) -> None:
        await self.documents.close()
        await self.recorder.close()
        await self.log.close()
        await self.history.close()

    async def die(self) -> None:
        """End without keeping what was not kept."""
        await self.log.close()
        await self.history.close()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    await desk.close()


async def test_a_run_of_one_persons_typing_is_one_revision(desk: Desk) -> None:
    for letter in "hello":
        desk.now += 1
        await desk.type(letter, "person:Ann")
    assert await desk.told() == [("person:Ann", "typing", "hello")]
    (one,) = await desk.revisions()
    assert (one.started, one.time) == (1_001.0, 1_005.0)


async def test_looking_does_not_cut_a_revision_in_two(desk: Desk) -> None:
    await desk.type("one ", "person:Ann")
    assert await desk.told() == [("person:Ann", "typing", "one ")]
    await desk.type("two", "person:Ann")
    assert await desk.told() == [("person:Ann", "typing", "one two")]
    await desk.check()


async def test_a_revision_ends_with_its_actor_and_its_cause(desk: Desk) -> None:
    await desk.type("a", "person:Ann")
    await desk.type("b", "person:Bo")
    await desk.edit("c", "assistant:X")
    await desk.edit("d", "assistant:X")
    await desk.edit("e", "person:Ann", Purpose("decision", "s1"))
    await desk.type("f", "person:Ann")
    assert await desk.told() == [
        ("person:Ann", "typing", "a"),
        ("person:Bo", "typing", "b"),
        ("assistant:X", "call", "c"),
        ("assistant:X", "call", "d"),
        ("person:Ann", "decision", "e"),
        ("person:Ann", "typing", "f"),
    ]
    assert [each.set for each in await desk.revisions()][4] == "s1"
    await desk.check()


async def test_a_revision_ends_after_five_minutes(desk: Desk) -> None:
    await desk.type("a", "person:Ann")
    desk.now += TYPING_SECONDS - 1
    await desk.type("b", "person:Ann")
    desk.now += 2
    await desk.type("c", "person:Ann")
    assert [added for _, _, added in await desk.told()] == ["ab", "c"]


async def test_what_was_there_before_the_history_is_kept_as_that(desk: Desk) -> None:
    silent = Documents(desk.log)
    await silent.edit(ID, lambda _: [Edit(0, 0, "old ")], "person:Ann")
    await silent.close()
    await desk.edit("new", "assistant:X")
    first, second = await desk.revisions()
    assert (first.cause, first.actor, await desk.history.text(first.id)) == ("before", "", "old ")
    head = await desk.history.head(ID)
    assert head is not None
    assert head.blame == ((4, 0), (3, second.id))


async def test_what_a_crash_takes_is_found_in_the_log(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.edit("kept ", "assistant:X")
    await desk.recorder.flush()
    await desk.type("typed ", "person:Ann")
    await desk.type("by two ", "person:Bo")
    await desk.edit("decided ", "person:Ann", Purpose("decision", "s1"))
    await desk.die()
    again = Desk(tmp_path)
    await again.edit("after", "assistant:Y")
    assert await again.told() == [
        ("assistant:X", "call", "kept "),
        ("person:Ann", "typing", "typed "),
        ("person:Bo", "typing", "by two "),
        ("person:Ann", "decision", "decided "),
        ("assistant:Y", "call", "after"),
    ]
    assert (await again.revisions())[3].set == "s1"
    await again.check()
    await again.close()


async def test_compaction_waits_for_the_history(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for number in range(230):
        await desk.type(str(number % 10), "person:Ann" if number < 120 else "person:Bo")

    async def is_short() -> bool:
        return (await desk.log.replay(ID)).tail < 100

    await eventually(is_short)
    await desk.die()  # what the log forgot is in the history
    again = Desk(tmp_path)
    await again.edit("!", "assistant:X")
    told = await again.told()
    assert [actor for actor, _, _ in told][:2] == ["person:Ann", "person:Bo"]
    assert len(told[0][2]) == 120
    await again.check()
    await again.close()


async def test_what_the_log_did_not_save_is_no_revision(desk: Desk) -> None:
    await desk.edit("saved ", "assistant:X")
    desk.log.fill()
    with pytest.raises(Unavailable):
        await desk.edit("lost " * 5_000, "assistant:X")
    desk.log.free()
    await desk.edit("again", "assistant:X")
    assert [added for _, _, added in await desk.told()] == ["saved ", "again"]
    await desk.check()


async def test_the_history_outlives_a_lost_log(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    await desk.edit("first ", "assistant:X")
    await desk.close()
    for file in tmp_path.glob("live.db*"):
        file.unlink()
    again = Desk(tmp_path)
    new = "another id"
    await again.documents.edit(new, lambda _: [Edit(0, 0, "first and more")], "person:Ann")
    await again.recorder.flush()
    found = await again.history.revisions(RevisionFilter(document=new))
    assert [each.actor for each in found] == ["person:Ann", "file", "assistant:X"][: len(found)]
    assert await again.history.head(ID) is None
    await again.close()


async def test_old_revisions_are_dropped_once_a_day(desk: Desk) -> None:
    keeping = Recorder(desk.history, desk.log, desk.path_of, lambda: desk.now, Retention(days=1))
    await desk.edit("a", "person:Ann")
    await desk.edit("b", "person:Ann")
    desk.now += 3 * 86_400
    await desk.edit("c", "person:Bo")
    assert len(await desk.revisions()) == 3
    await keeping.trim()
    assert [each.cause for each in await desk.revisions()] == ["before", "call"]
    await desk.edit("d", "person:Bo")
    desk.now += 3_600
    await keeping.trim()
    assert len(await desk.revisions()) == 3
    await desk.check()


async def test_notes_as_a_whole_have_revisions_too(desk: Desk) -> None:
    desk.recorder.create(ID, "a.md", "assistant:X", Purpose("create"), "text")
    desk.recorder.note(ID, "b.md", "person:Ann", Purpose("rename"), "text", was="a.md")
    first, second = await desk.revisions()
    assert (first.cause, first.path) == ("create", "a.md")
    assert (second.cause, second.path, second.note, second.delta) == ("rename", "b.md", "a.md", ())
    head = await desk.history.head(ID)
    assert head is not None
    assert head.blame == ((4, first.id),)
