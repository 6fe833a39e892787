"""All live documents together with their log."""

import asyncio
import gc
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import HostileUpdate
from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.documents.changes import Change
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.documents import Documents, First
from commonplace.vault.documents.saver import EVICTED_TAIL_MAX, TAIL_MAX
from commonplace.vault.log.log import THIS_UPDATE, FileRecord, LogEntry, Replay
from tests.core.yjs.updates import after, first, section, update
from tests.vault.log.troubled_log import TroubledLog
from tests.wait import until

pytestmark = pytest.mark.anyio

CYCLE = update(section(2, 0, after(3, 0, "x")), section(3, 0, after(2, 0, "y")))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Store(TroubledLog):
    """A log that gets into trouble, and that counts what it is asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path
        self.replays = 0
        self.overrun = False

    @property
    def full(self) -> bool:
        return self.overrun

    async def replay(self, document: str) -> Replay:
        self.replays += 1
        return await super().replay(document)

    def rows(self, document: str) -> int:
        reader = sqlite3.connect(self.path)
        query = "SELECT count(*) FROM updates WHERE doc = ?"
        (count,) = reader.execute(query, (document,)).fetchone()
        reader.close()
        return count


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with Store(tmp_path / "live.db") as store:
        yield store


@pytest.fixture
async def documents(store: Store) -> AsyncIterator[Documents]:
    async with Documents(store) as documents:
        yield documents


def at_end(text: str) -> Callable[[str], Sequence[Edit]]:
    """Plan to add a text."""
    return lambda before: [Edit(len(before), len(before), text)]


async def text_of(documents: Documents, name: str) -> str:
    return (await documents.settled(name)).text


async def replayed(store: Store, name: str) -> str:
    document = Document(name)
    document.load((await store.replay(name)).updates)
    return document.text


async def idle() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_an_edit_is_answered_once_it_is_saved(documents: Documents, store: Store) -> None:
    edited = await documents.edit("note", at_end("one😀"), "ana")
    assert store.rows("note") == 1
    assert edited.text == await text_of(documents, "note") == "one😀"


async def test_what_is_at_hand_takes_an_update_at_once_and_tells_when_it_is_saved(
    documents: Documents, store: Store
) -> None:
    typed = Document("other").edit(at_end("one"), "ben").update
    assert not documents.at_hand("note")
    async with documents.hold("note") as note:
        assert documents.at_hand("note")
        async with store.stopped():
            saving = documents.apply_now("note", typed, "ben")
            again = documents.apply_now("note", typed, "ben")
            assert note.text == "one"
            await idle()
            assert documents.answer_now("note", b"\0") is None
            assert saving
            assert again
            assert not saving.done()
            again.cancel()  # whoever waits may stop doing so
            await idle()
            assert not saving.done()
        await saving
        assert store.rows("note") == 1
        assert documents.apply_now("note", typed, "ben") is None
        assert documents.answer_now("note", b"\0") == typed
        with pytest.raises(HostileUpdate):
            documents.apply_now("note", b"nonsense", "ben")
        note.spoil()
        assert not documents.at_hand("note")
        assert documents.answer_now("note", b"\0") is None


async def test_edits_at_once_are_all_saved_in_their_order(
    documents: Documents, store: Store
) -> None:
    heard: list[bytes] = []
    documents.follow(lambda change: heard.append(change.update))
    await asyncio.gather(
        *[
            documents.edit("note", at_end(f"<{number}>"), f"actor {number % 5}")
            for number in range(60)
        ]
    )
    text = await text_of(documents, "note")
    assert text == "".join(f"<{number}>" for number in range(60))
    assert await replayed(store, "note") == text
    reader = Document("note")
    for told in heard:
        reader.apply(told, "server")
    assert reader.text == text


async def test_nothing_leaves_before_it_is_saved(documents: Documents, store: Store) -> None:
    heard: list[Change] = []
    documents.follow(heard.append)
    async with documents.hold("note") as note:
        async with store.stopped():
            edit = asyncio.create_task(documents.edit("note", at_end("one"), "ana"))
            await idle()
            answer = asyncio.create_task(documents.answer("note", b"\0"))
            settled = asyncio.create_task(documents.settled("note"))
            await idle()
            assert note.text == "one"  # memory is ahead: this is what must not leave
            assert not edit.done()
            assert not answer.done()
            assert not settled.done()
            assert heard == []
        assert (await edit).text == (await settled).text == "one"
        assert (await settled).seq == (await documents.settled("note")).seq == 1
        assert heard != []
    reader = Document("note")
    reader.apply(await answer, "server")
    assert reader.text == "one"


async def test_an_update_that_is_known_is_not_saved_again_but_waits_for_the_first(
    documents: Documents, store: Store
) -> None:
    typed = update(section(7, 0, first("typed")))
    await documents.settled("note")
    async with store.stopped():
        one = asyncio.create_task(documents.apply("note", typed, "ana"))
        two = asyncio.create_task(documents.apply("note", typed, "ana"))
        await idle()
        assert not two.done()
    await one
    await two
    assert store.rows("note") == 1
    assert (await store.replay("note")).updates == (typed,)


async def test_an_edit_whose_caller_gave_up_is_saved_and_told(
    documents: Documents, store: Store
) -> None:
    heard: list[Change] = []
    documents.follow(heard.append)
    await documents.settled("note")
    async with store.stopped():
        edit = asyncio.create_task(documents.edit("note", at_end("one"), "ana"))
        await idle()
        edit.cancel()
        await idle()
    assert await text_of(documents, "note") == await replayed(store, "note") == "one"
    assert len(heard) == 1


async def test_an_error_of_a_plan_reaches_its_caller(documents: Documents, store: Store) -> None:
    def plan(_: str) -> list[Edit]:
        raise BadArgument("not found")

    with pytest.raises(BadArgument, match="not found"):
        await documents.edit("note", plan, "ana")
    assert store.rows("note") == 0


async def test_a_log_that_is_overrun_takes_no_edits_and_memory_stays_as_it_was(
    documents: Documents, store: Store
) -> None:
    await documents.edit("note", at_end("one"), "ana")
    store.overrun = True
    with pytest.raises(Unavailable, match="keep up"):
        await documents.edit("note", at_end("two"), "ana")
    store.overrun = False
    assert await text_of(documents, "note") == "one"


async def test_a_commit_that_fails_is_told_and_undone(documents: Documents, store: Store) -> None:
    heard: list[Change] = []
    await documents.edit("note", at_end("one"), "ana")
    documents.follow(heard.append)
    store.fill()
    async with documents.hold("note") as note:
        with pytest.raises(Unavailable, match="nothing was saved"):
            await documents.edit("note", at_end("x" * 10_000), "ana")
        assert await text_of(documents, "note") == note.text == "one"
    store.free()
    await documents.edit("note", at_end(" two"), "ana")
    assert await text_of(documents, "note") == await replayed(store, "note") == "one two"
    assert len(heard) == 1


async def test_what_was_built_on_a_failed_edit_fails_with_it(
    documents: Documents, store: Store
) -> None:
    await documents.edit("note", at_end("one"), "ana")
    store.fill()
    async with store.stopped():
        asked = [
            asyncio.create_task(documents.edit("note", at_end("x" * 10_000), "ana")),
            asyncio.create_task(documents.edit("note", at_end("small"), "ben")),
        ]
        await idle()
        answer = asyncio.create_task(documents.answer("note", b"\0"))
        await idle()
    for task in (*asked, answer):
        with pytest.raises(Unavailable):
            await task
    store.free()
    await documents.edit("note", at_end(" two"), "ben")
    assert await replayed(store, "note") == "one two"


async def test_an_edit_between_a_failure_and_its_news_fails_too(
    documents: Documents, store: Store
) -> None:
    await documents.edit("note", at_end("one"), "ana")
    store.fill()
    failing = asyncio.create_task(documents.edit("note", at_end("x" * 10_000), "ana"))
    await asyncio.sleep(0)
    until(lambda: "note" in store._commits._stale)  # the loop stands still: nobody hears of it yet
    store.free()
    with pytest.raises(Unavailable, match="builds on"):
        await documents.edit("note", at_end("small"), "ben")
    with pytest.raises(Unavailable):
        await failing
    assert await text_of(documents, "note") == await replayed(store, "note") == "one"


async def test_an_update_that_breaks_a_document_harms_nothing_else(
    documents: Documents, store: Store
) -> None:
    await documents.edit("note", at_end("one"), "ana")
    async with documents.hold("note") as note, store.stopped():
        unsaved = asyncio.create_task(documents.edit("note", at_end(" two"), "ana"))
        await idle()
        hostile = asyncio.create_task(documents.apply("note", CYCLE, "eve"))
        await idle()
        assert note.broken
    with pytest.raises(HostileUpdate):
        await hostile
    await unsaved
    assert await text_of(documents, "note") == await replayed(store, "note") == "one two"
    await documents.edit("note", at_end(" three"), "ana")
    await documents.edit("other", at_end("one"), "ana")
    assert store.rows("note") == 3


async def test_a_document_that_cannot_be_loaded_is_never_stored(
    documents: Documents, store: Store
) -> None:
    poison = b"\x01\x01\x01\0\0\0\0"
    await store.append(LogEntry("note", poison, "ana"))
    for _ in range(2):
        with pytest.raises(Unavailable, match="doctor"):
            await documents.edit("note", at_end("one"), "ana")
    assert (await store.replay("note")).updates == (poison,)


async def test_followers_hear_who_did_what_and_who_sent_it(documents: Documents) -> None:
    heard: list[Change] = []
    everything: list[Change] = []
    socket = object()
    documents.follow(everything.append)
    async with documents.hold("note") as note:
        note.observe(heard.append)
        edited = await documents.edit("note", at_end("one"), "ana", origin=socket)
        await documents.edit("other", at_end("two"), "ben")
        note.unobserve(heard.append)
        await documents.edit("note", at_end("three"), "ana")
    assert heard == [Change("note", edited.update, "ana", socket)]
    assert [change.actor for change in everything] == ["ana", "ben", "ana"]
    documents.unfollow(everything.append)
    await documents.edit("note", at_end("four"), "ana")
    assert len(everything) == 3


async def test_a_follower_that_fails_does_not_keep_others_from_hearing(
    documents: Documents,
) -> None:
    failures: list[str] = []
    heard: list[Change] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: failures.append(str(context["exception"]))
    )

    def fail(_: Change) -> None:
        raise ZeroDivisionError("a bug")

    documents.follow(fail)
    documents.follow(heard.append)
    await documents.edit("note", at_end("one"), "ana")
    assert (failures, len(heard)) == (["a bug"], 1)


async def test_what_waits_for_missing_edits_is_saved_and_told_when_complete(
    documents: Documents, store: Store
) -> None:
    heard: list[Change] = []
    documents.follow(heard.append)
    one, two = update(section(7, 0, first("a"))), update(section(7, 1, after(7, 0, "b")))
    await documents.apply("note", two, "ana")
    assert (store.rows("note"), heard) == (1, [])
    await documents.apply("note", one, "ana")
    assert await text_of(documents, "note") == await replayed(store, "note") == "ab"
    reader = Document("note")
    reader.apply(heard[0].update, "server")
    assert (reader.text, len(heard)) == ("ab", 1)


async def test_a_document_is_loaded_once_however_many_ask(store: Store) -> None:
    asked: list[str] = []

    async def begin(name: str) -> First:
        asked.append(name)
        await asyncio.sleep(0)
        return First("from the file 😀\r\n", "file", FileRecord(b"sha", b"", size=20))

    async with Documents(store, first=begin) as documents:
        texts = await asyncio.gather(*[text_of(documents, "note") for _ in range(20)])
        assert set(texts) == {"from the file 😀\r\n"}
        assert asked == ["note"]
        assert store.rows("note") == 1
        disk = await store.disk("note")
        assert disk is not None
        copy = Document("note")
        copy.load([disk.base])
        assert copy.text == texts[0]
    async with Documents(store, first=begin) as documents:
        assert await text_of(documents, "note") == texts[0]
    assert asked == ["note"]


async def test_an_empty_file_begins_an_empty_document(store: Store) -> None:
    async def begin(_: str) -> First:
        return First("", "file", FileRecord(b"sha", b"?"))

    async with Documents(store, first=begin) as documents:
        assert await text_of(documents, "note") == ""
        disk = await store.disk("note")
        assert disk is not None
        await documents.ingest("note", disk, "now with text", "file")
        assert await text_of(documents, "note") == "now with text"


async def test_what_is_done_to_a_first_text_waits_until_that_is_saved(store: Store) -> None:
    stop = AsyncExitStack()

    async def begin(_: str) -> First:
        await stop.enter_async_context(store.stopped())
        return First("from the file ", "file", FileRecord(b"sha", b"", seq=THIS_UPDATE))

    async with Documents(store, first=begin) as documents:
        told: list[Change] = []
        documents.follow(told.append)
        async with documents.hold("note") as note:
            assert note.text == "from the file "  # at once: it is the file's
            edit = asyncio.create_task(documents.edit("note", at_end("ana"), "ana"))
            answer = asyncio.create_task(documents.answer("note", b"\0"))
            await idle()
            assert documents.answer_now("note", b"\0") is None
            assert (edit.done(), answer.done(), store.rows("note")) == (False, False, 0)
            await stop.aclose()
            assert (await edit).text == "from the file ana"
            await answer
        assert [change.actor for change in told] == ["ana"]
        assert store.rows("note") == 2
        disk = await store.disk("note")
        assert disk
        assert disk.seq == 1
    assert await replayed(store, "note") == "from the file ana"


async def test_a_first_text_that_cannot_be_saved_is_not_tried_for_ever(store: Store) -> None:
    async def begin(_: str) -> First:
        return First("word " * 50_000, "file", FileRecord(b"sha", b"", seq=THIS_UPDATE))

    async with Documents(store, first=begin) as documents:
        store.fill()
        for _ in range(3):
            with pytest.raises(Unavailable, match=r"nothing was saved|being loaded"):
                await documents.edit("note", at_end("ana"), "ana")
            await asyncio.sleep(0.05)
        assert store.replays < 10
        store.free()
        assert (await documents.edit("note", at_end("ana"), "ana")).text.endswith("word ana")
    assert store.rows("note") == 2
    assert (await replayed(store, "note")).endswith("word ana")


async def test_a_load_that_fails_is_tried_again(store: Store) -> None:
    errors = [Unavailable("the disk is away")]

    async def begin(_: str) -> First:
        if errors:
            raise errors.pop()
        return First("text", "file")

    async with Documents(store, first=begin) as documents:
        with pytest.raises(Unavailable, match="away"):
            await documents.settled("note")
        assert await text_of(documents, "note") == "text"


async def test_a_file_and_its_base_are_saved_in_one_step(
    documents: Documents, store: Store
) -> None:
    await documents.edit("note", at_end("one\n"), "ana")
    base = (await documents.settled("note")).state
    await documents.edit("note", at_end("live\n"), "ana")
    ingested = await documents.ingest("note", FileRecord(b"sha", base), "zero\none\n", "file")
    assert ingested.text == "zero\none\nlive\n"
    assert await store.disk("note") == FileRecord(b"sha", ingested.base)
    again = FileRecord(b"sha", ingested.base, mtime_ns=5)
    await documents.ingest("note", again, "zero\none\n", "file")
    assert await store.disk("note") == again
    store.fill()
    with pytest.raises(Unavailable):
        await documents.ingest("note", replace(again, mtime_ns=9), "x" * 9_000, "file")
    assert await store.disk("note") == again


async def test_the_log_is_compacted_when_its_tail_grows(documents: Documents, store: Store) -> None:
    for number in range(TAIL_MAX + 50):
        await documents.edit("note", at_end(f"{number}😀 "), "ana")
    text = await text_of(documents, "note")
    await documents.close()
    assert store.rows("note") < 100
    assert await replayed(store, "note") == text


async def test_the_text_that_a_large_note_began_with_is_not_saved_again(store: Store) -> None:
    async def begin(_: str) -> First:
        return First("word " * 50_000, "file")

    async with Documents(store, first=begin) as documents:
        for number in range(5):
            await documents.edit("note", at_end(f"{number} "), "ana")
    assert store.rows("note") == 6
    async with Documents(store, first=begin) as documents:
        await documents.edit("note", at_end("x" * 100_000), "ana")
        text = await text_of(documents, "note")
    assert store.rows("note") == 0  # all in a snapshot
    assert await replayed(store, "note") == text


async def test_compaction_keeps_edits_that_are_made_meanwhile(
    documents: Documents, store: Store
) -> None:
    edits = [documents.edit("note", at_end(f"<{number}>"), "ana") for number in range(700)]
    await asyncio.gather(*edits)
    text = await text_of(documents, "note")
    await documents.close()
    assert store.rows("note") < 300
    assert await replayed(store, "note") == text


async def test_documents_that_nobody_uses_are_evicted_and_come_back(store: Store) -> None:
    async with Documents(store, count_max=5) as documents:
        async with documents.hold("held") as held:
            for number in range(20):
                await documents.edit(str(number), at_end(f"text {number}"), "ana")
            store.replays = 0
            async with documents.hold("held") as again:
                assert again is held
            assert store.replays == 0
        assert await text_of(documents, "0") == "text 0"
        assert store.replays == 1
        assert await text_of(documents, "19") == "text 19"
        assert store.replays == 1


async def test_large_documents_are_evicted_by_their_weight(store: Store) -> None:
    async with Documents(store, bytes_max=3_000_000) as documents:
        for name in ("one", "two"):
            await documents.edit(name, at_end("x" * 200_000), "ana")
        store.replays = 0
        await documents.settled("two")
        await documents.settled("one")
        assert store.replays == 1


async def test_an_evicted_document_leaves_a_short_log(store: Store) -> None:
    async with Documents(store, count_max=1) as documents:
        for _ in range(EVICTED_TAIL_MAX + 5):
            await documents.edit("one", at_end("text "), "ana")
        await documents.edit("two", at_end("text "), "ana")
        await idle()
        assert await text_of(documents, "one") == "text " * (EVICTED_TAIL_MAX + 5)
    assert store.rows("one") == 0
    assert store.rows("two") == 1


def resident() -> int:
    """Memory of this process in bytes."""
    gc.collect()
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
async def test_two_thousand_documents_one_after_another_keep_memory_flat(store: Store) -> None:
    text = "A note of some length, with an emoji 😀 in it.\n" * 100
    async with Documents(store, count_max=50) as documents:
        for start in range(0, 2_000, 100):
            names = [str(number) for number in range(start, start + 100)]
            await asyncio.gather(*[documents.edit(name, at_end(text), "ana") for name in names])
        before = 0
        for number in range(2_000):
            async with documents.hold(str(number)) as note:
                heard: list[Change] = []
                note.observe(heard.append)
                await documents.answer(str(number), b"\0")
                note.unobserve(heard.append)
            if number == 400:
                before = resident()
        assert resident() - before < 3_000_000


@pytest.mark.slow
def test_an_observer_left_on_the_engine_keeps_its_document_for_ever() -> None:
    """The control, in a process of its own: this one may have room left over from before."""
    program = """
from pathlib import Path
from pycrdt import Doc, Text
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
text = "A note of some length, with an emoji in it. " * 100
before = resident()
for _ in range(5_000):
    doc = Doc()
    doc.get("contents", type=Text).insert(0, text)
    doc.observe(lambda event: None)
print(resident() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert int(done.stdout) > 6_000_000
