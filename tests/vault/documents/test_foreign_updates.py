"""Updates that cost much: nobody else waits for them, and what is refused leaves no trace."""

import asyncio
import gc
import os
import random
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pycrdt import Doc, Text

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate, LargeUpdate
from commonplace.core.yjs.scan import scan
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.documents import Documents
from commonplace.vault.log.sqlite import SqliteLog
from tests.core.yjs.updates import after, first, section, update
from tests.vault.documents import costly

pytestmark = pytest.mark.anyio

CHAIN = costly.chain(12_000)
DEAR = costly.bombs(1_000, 2, lambda _: 3)
VARIANTS = int(os.environ.get("COSTLY_VARIANTS", "6"))
VARIANTS_A_TEST = 25  # a process that tries updates takes longer to start than most to try
BLOCKED_SECONDS_MAX = 0.1


class Watch:
    """The most CPU time that one callback took of the event loop's thread."""

    def __init__(self) -> None:
        self.most = 0.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    watch = Watch()
    run = asyncio.events.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        start = time.thread_time()
        run(handle)
        watch.most = max(watch.most, time.thread_time() - start)

    monkeypatch.setattr(asyncio.events.Handle, "_run", timed)
    # What the test run itself has piled up is not collected in the middle of a callback.
    gc.collect()
    gc.freeze()
    yield watch
    gc.unfreeze()


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    async with SqliteLog(tmp_path / "live.db") as log:
        yield log


@pytest.fixture
async def documents(log: SqliteLog) -> AsyncIterator[Documents]:
    async with Documents(log) as documents:
        yield documents


def test_control_without_a_trial_such_updates_take_long() -> None:
    """Both kinds: what freezes is the engine, in one call that nothing can interrupt."""
    for updates in (
        [costly.chain(8_000), costly.bombs(1_000, 2, lambda _: 3)],
        [costly.crowd(3_000, 1_000), costly.crowd(3_000, 9_000)],
    ):
        note = Document("note")
        start = time.process_time()
        for each in updates:
            note.apply(each, "eve", tried=True)
        assert time.process_time() - start > 2 * BLOCKED_SECONDS_MAX


def test_what_may_take_long_is_told_apart_before_anything_is_touched() -> None:
    note = Document("note")
    note.apply(costly.chain(500), "eve")
    before = note.state()
    for large in (
        costly.bombs(600, 2, lambda _: 3),
        costly.crowd(1_001, 9),
        costly.erasers(600, 9),
    ):
        with pytest.raises(LargeUpdate):
            note.apply(large, "eve")
        assert note.state() == before
    note.apply(costly.bombs(100, 2, lambda _: 3), "eve")


@pytest.mark.parametrize("first_seed", range(0, VARIANTS, VARIANTS_A_TEST))
async def test_no_update_holds_up_the_others(
    documents: Documents, watch: Watch, first_seed: int
) -> None:
    for seed in range(first_seed, min(VARIANTS, first_seed + VARIANTS_A_TEST)):
        blocked = [await _blocked_by(documents, watch, f"{seed} first", seed)]
        while blocked[-1] >= BLOCKED_SECONDS_MAX:  # a machine may stall; an update blocks always
            again = f"{seed} again {len(blocked)}"
            assert len(blocked) < 3, f"seed {seed}: the event loop stood still: {blocked}"
            blocked.append(await _blocked_by(documents, watch, again, seed))


async def _blocked_by(documents: Documents, watch: Watch, name: str, seed: int) -> float:
    watch.most = 0.0
    await _send_variant(documents, watch, name, seed)
    return watch.most


async def _send_variant(documents: Documents, watch: Watch, name: str, seed: int) -> None:
    async with documents.hold(name) as note:
        for sent in costly.variant(random.Random(seed), scale=1.0 if VARIANTS > 6 else 0.3):
            assert len(sent) < costly.BYTES_MAX
            known, text = dict(note.known), note.text
            try:
                await documents.apply(name, sent, "eve", origin=watch)
            except (HostileUpdate, EarlyUpdate):
                assert (note.known, note.text) == (known, text)
        await documents.edit(name, lambda _: [Edit(0, 0, "ben")], "ben")
        assert note.text.startswith("ben")


async def test_what_is_refused_is_neither_told_nor_kept(
    documents: Documents, log: SqliteLog
) -> None:
    heard: list[bytes] = []
    documents.follow(lambda change: heard.append(change.update))
    await documents.apply("note", CHAIN, "eve")
    seq = (await log.replay("note")).seq
    with pytest.raises(HostileUpdate, match="too long"):
        await documents.apply("note", DEAR, "eve")
    assert (await log.replay("note")).seq == seq
    assert not [told for told in heard if 2 in scan(told).spans]


async def test_others_go_on_while_an_update_is_tried(documents: Documents) -> None:
    await documents.apply("note", CHAIN, "eve")
    dear = asyncio.create_task(documents.apply("note", DEAR, "eve", origin="eve's"))
    await asyncio.sleep(0)
    typed = 0
    while not dear.done():
        letter = after(7, typed - 1, "t") if typed else first("t")
        await documents.apply("note", update(section(7, typed, letter)), "ben", origin="ben's")
        typed += 1
    assert typed > 10
    with pytest.raises(HostileUpdate):
        await dear


async def test_a_connection_is_heard_in_its_order(documents: Documents) -> None:
    """What follows a large update waits for it, though it could be applied at once."""
    long = honest(5_000)
    text = str(long.get("contents", type=Text))
    async with documents.hold("note") as note:
        large = documents.apply_now("note", long.get_update(), "ana", origin="ana's")
        known = long.get_state()
        long.get("contents", type=Text).insert(0, "last")
        small = documents.apply_now("note", long.get_update(known), "ana", origin="ana's")
        assert large is not None
        assert small is not None
        await small
        assert large.done()
        assert note.text == f"last{text}"


async def test_what_follows_a_refused_update_is_not_taken(documents: Documents) -> None:
    await documents.apply("note", CHAIN, "eve")
    async with documents.hold("note") as note:
        dear = documents.apply_now("note", DEAR, "eve", origin="eve's")
        next_one = documents.apply_now("note", costly.crowd(1, 1), "eve", origin="eve's")
        assert dear is not None
        assert next_one is not None
        with pytest.raises(HostileUpdate):
            await dear
        with pytest.raises(EarlyUpdate):
            await next_one
        assert len(note.text) == 12_000


@pytest.mark.parametrize("count", [5_000])
async def test_a_long_honest_history_passes(
    documents: Documents, log: SqliteLog, watch: Watch, count: int
) -> None:
    """What somebody did offline for a long time, at random places, arrives in one update."""
    long = await asyncio.to_thread(honest, count)
    await documents.apply("note", long.get_update(), "ana", origin="ana's")
    async with documents.hold("note") as note:
        assert watch.most < BLOCKED_SECONDS_MAX
        kept = note.text
    assert kept == str(long.get("contents", type=Text))
    await documents.close()
    async with Documents(log) as again:
        assert (await again.settled("note")).text == kept


async def test_a_paste_of_a_megabyte_is_applied_at_once(documents: Documents) -> None:
    async with documents.hold("note") as note:
        saving = documents.apply_now(
            "note", update(section(7, 0, first("æ漢😀 " * 100_000))), "ana", origin="ana's"
        )
        assert len(note.text) == 400_000
        assert saving is not None
        await saving


def honest(count: int) -> "Doc[Text]":
    rng = random.Random(count)
    doc: Doc[Text] = Doc()
    text = doc.get("contents", type=Text)
    text += "word " * 400
    length = 2_000
    for _ in range(count):
        at = rng.randrange(length)
        if rng.random() < 0.2:
            del text[at : at + 1]
            length -= 1
        else:
            text.insert(at, "ab")
            length += 2
    return doc
