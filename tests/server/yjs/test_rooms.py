"""Rooms, by the messages that go in and out of them."""

import gc
import json
import weakref
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import decode_state_vector, encode_state_vector
from commonplace.core.yjs.frames import (
    Awareness,
    DeniedFrame,
    Presence,
    QueryAwareness,
    SyncStatus,
    SyncStep1,
    SyncStep2,
    Unknown,
    UpdateFrame,
    decode_awareness,
)
from commonplace.errors import NotFound, Unavailable
from commonplace.server.yjs import rooms as rooms_module
from commonplace.server.yjs.connection import UNFINISHED_MAX
from commonplace.server.yjs.outbox import FRAMES_MAX
from commonplace.server.yjs.rooms import Rooms
from commonplace.server.yjs.sockets import routes
from tests.live.notes import MIXED, NoteShelf, at_end, shelf_in
from tests.live.wire import NOTHING_KNOWN, Closed, Peer, Wire, connected, settled

pytestmark = pytest.mark.anyio

HOSTILE: dict[str, str] = json.loads(
    (Path(__file__).parents[2] / "corpus" / "yjs_hostile.json").read_text(encoding="utf-8")
)
NOTES = {"bees": MIXED, "clover": "Clover\n"}


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[NoteShelf]:
    async with shelf_in(tmp_path, NOTES) as shelf:
        yield shelf


@pytest.fixture
def rooms(shelf: NoteShelf) -> Rooms:
    return Rooms(shelf)


# documents


async def test_a_newcomer_is_asked_and_gets_the_text(rooms: Rooms) -> None:
    peer = Peer(7)
    async with connected(routes(rooms), "/sync/bees") as wire:
        asked = await wire.read()
        assert isinstance(asked, SyncStep1)
        assert sum(decode_state_vector(asked.state_vector).values()) > len(MIXED)
        answer = await wire.ask(peer.question())
        assert isinstance(answer, SyncStep2)
        peer.hear(answer)
    assert str(peer) == MIXED


async def test_an_edit_reaches_everybody_but_its_sender(rooms: Rooms, shelf: NoteShelf) -> None:
    ana, bo = Peer(7), Peer(8)
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as one, connected(sync, "/sync/bees") as two:
        await ana.join(one)
        await bo.join(two)
        for word in ("one ", "two 😀 ", "three"):
            one.write(ana.add(word))
        for _ in range(3):
            bo.hear(await two.read())
        assert str(bo) == str(ana) == MIXED + "one two 😀 three"
        assert one.unread() == []
    assert await shelf.replayed("bees") == str(ana)


async def test_what_the_server_writes_reaches_the_sockets(rooms: Rooms, shelf: NoteShelf) -> None:
    ana = Peer(7)
    async with connected(routes(rooms), "/sync/bees") as wire:
        await ana.join(wire)
        await shelf.documents.edit("bees", at_end("漢字 👧"), "assistant")
        ana.hear(await wire.read())
    assert str(ana) == MIXED + "漢字 👧"


async def test_rooms_are_apart(rooms: Rooms) -> None:
    ana = Peer(7)
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as one, connected(sync, "/sync/clover") as two:
        await ana.join(one)
        await two.read()
        one.write(ana.add("x"))
        one.show(Presence(7, 1, "{}"))
        await one.seen()
        assert two.unread() == []


async def test_edits_are_those_of_the_connections_actor(rooms: Rooms, shelf: NoteShelf) -> None:
    ana, bo, cy = Peer(7), Peer(8), Peer(9)
    async with (
        connected(routes(rooms), "/sync/bees") as one,
        connected(routes(rooms), "/sync/bees") as two,
        connected(routes(rooms), "/sync/bees") as three,
    ):
        for peer, wire in ((ana, one), (bo, two), (cy, three)):
            await peer.join(wire)
            wire.write(peer.add("x"))
            assert isinstance(await wire.ask(SyncStatus(b"\1")), SyncStatus | UpdateFrame)
    async with shelf.documents.hold("bees") as document:
        authors = {client: document.authors[client] for client in (7, 8, 9)}
    assert authors == {
        7: "person:somebody 1",
        8: "person:somebody 2",
        9: "person:somebody 3",
    }


_NAMED = '{"user": {"name": "Bo"}}'


async def test_edits_are_those_of_whom_a_client_shows(rooms: Rooms, shelf: NoteShelf) -> None:
    ana, bo, cy = Peer(7), Peer(8), Peer(9)
    async with (
        connected(routes(rooms), "/sync/bees") as one,
        connected(routes(rooms), "/sync/bees") as two,
        connected(routes(rooms), "/sync/bees") as three,
    ):
        said = [
            (one, [Presence(7, 1, '{"user": {"name": " Ana\\u0000 "}}')]),
            # somebody passes on what it heard of others, before and after it tells of itself
            (two, [Presence(7, 1, '{"user": {"name": "Ana"}}'), Presence(8, 1, _NAMED)]),
            (two, [Presence(7, 5, '{"user": {"name": "Eve"}}')]),
            (three, [Presence(9, 1, '{"user": 3}')]),
        ]
        for peer, wire in ((ana, one), (bo, two), (cy, three)):
            await peer.join(wire)
        for wire, told in said:
            wire.show(*told)
            await wire.seen()
        for peer, wire in ((ana, one), (bo, two), (cy, three)):
            wire.write(peer.add("x"))
            await wire.seen()
    async with shelf.documents.hold("bees") as document:
        authors = {client: document.authors[client] for client in (7, 8, 9)}
    assert authors == {7: "person:Ana", 8: "person:Bo", 9: "person:somebody 3"}


async def test_offline_edits_come_with_the_answer_to_the_first_question(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    ana = Peer(7)
    async with connected(routes(rooms), "/sync/bees") as wire:
        await ana.join(wire)
    ana.add("while away")
    async with connected(routes(rooms), "/sync/bees") as wire:
        asked = await wire.read()
        assert isinstance(asked, SyncStep1)
        wire.write(SyncStep2(ana.doc.get_update(asked.state_vector)))
        assert await wire.ask(SyncStatus(b"\1")) == SyncStatus(b"\1")
    assert await shelf.text("bees") == MIXED + "while away"


async def test_an_unknown_document_is_refused_for_good(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/wasps") as wire:
        assert await wire.read() == Closed(4404, "There is no document wasps.")


async def test_a_document_is_put_away_when_the_last_one_goes(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    async with connected(routes(rooms), "/sync/bees"):
        async with connected(routes(rooms), "/sync/bees") as wire:
            await wire.read()
        assert shelf.put_away == []
    assert shelf.put_away == ["bees"]


async def test_an_empty_room_leaves_nothing_behind(rooms: Rooms, shelf: NoteShelf) -> None:
    async with shelf.documents.hold("bees") as document:
        async with rooms.visit("bees") as (room, _):
            assert len(document.listeners) == 1
            gone = weakref.ref(room)
            del room, _
        assert document.listeners == []
    gc.collect()
    assert gone() is None


async def test_one_who_goes_in_the_middle_of_a_sentence_is_let_go(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        await wire.read()
        wire.writable.clear()
        await shelf.documents.edit("bees", at_end("x"), "assistant")
        await settled()
        wire.gone = True
        wire.writable.set()
        await settled()
        assert shelf.put_away == ["bees"]


async def test_too_many_connections_are_told_to_come_later(
    rooms: Rooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms_module, "CONNECTIONS_MAX", 1)
    async with connected(routes(rooms), "/sync/bees") as one:
        await one.read()
        async with connected(routes(rooms), "/sync/bees") as two:
            assert (await two.closed()).code == 1013
    async with connected(routes(rooms), "/sync/bees") as three:
        assert isinstance(await three.read(), SyncStep1)


async def test_what_another_protocol_would_say_is_passed_over(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        await wire.read()
        wire.write(Unknown(77))
        wire.write(DeniedFrame("?"))
        assert isinstance(await wire.ask(NOTHING_KNOWN), SyncStep2)


async def test_everybody_is_asked_again_from_time_to_time(shelf: NoteShelf) -> None:
    rooms = Rooms(shelf, exchange=0.01)
    ana = Peer(7)
    async with connected(routes(rooms), "/sync/bees") as wire:
        await ana.join(wire)
        ana.add("lost on the way")
        asked = await wire.read()
        assert isinstance(asked, SyncStep1)
        wire.write(SyncStep2(ana.doc.get_update(asked.state_vector)))
        wire.write(SyncStatus(b"\1"))
        while await wire.read() != SyncStatus(b"\1"):
            pass
    assert await shelf.text("bees") == MIXED + "lost on the way"


# the disk


async def test_nothing_is_acknowledged_or_told_before_it_is_saved(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    ana, bo = Peer(7), Peer(8)
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as one, connected(sync, "/sync/bees") as two:
        await ana.join(one)
        await bo.join(two)
        async with shelf.store.stopped():
            one.write(ana.add("x"))
            one.write(SyncStatus(b"\1"))
            one.write(ana.add("y"))
            one.write(SyncStatus(b"\2"))
            two.write(bo.question())
            await settled()
            assert one.unread() == two.unread() == []
        assert [await one.read(), await one.read()] == [SyncStatus(b"\1"), SyncStatus(b"\2")]
        for _ in range(3):
            bo.hear(await two.read())
    assert str(bo) == MIXED + "xy"


async def test_one_who_sends_faster_than_the_disk_writes_is_read_more_slowly(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    ana = Peer(7)
    async with connected(routes(rooms), "/sync/bees") as wire:
        await ana.join(wire)
        async with shelf.store.stopped():
            for _ in range(UNFINISHED_MAX + 50):
                wire.write(ana.add("x"))
            for _ in range(20):
                await settled()
            assert wire.inward.qsize() == 50
        wire.write(SyncStatus(b"\1"))
        assert await wire.read() == SyncStatus(b"\1")
    assert await shelf.text("bees") == str(ana)


async def test_what_cannot_be_saved_is_not_acknowledged_and_not_told(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    ana, bo = Peer(7), Peer(8)
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as two:
        await bo.join(two)
        async with connected(sync, "/sync/bees") as one:
            await ana.join(one)
            shelf.store.fill()
            big = "x" * 100_000
            one.write(ana.add(big))
            one.write(SyncStatus(b"\1"))
            one.write(ana.add("more"))
            one.write(SyncStatus(b"\2"))
            closed = await one.read()
            assert isinstance(closed, Closed)
            assert closed.code == 1013
        shelf.store.free()
        assert two.unread() == []
        async with connected(sync, "/sync/bees") as again:
            asked = await again.read()
            assert isinstance(asked, SyncStep1)
            again.write(SyncStep2(ana.doc.get_update(asked.state_vector)))
            assert await again.ask(SyncStatus(b"\3")) == SyncStatus(b"\3")
        bo.hear(await two.read())
    assert str(bo) == str(ana) == await shelf.replayed("bees")


async def test_after_a_failure_everybody_is_asked_what_they_have(
    shelf: NoteShelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms_module, "MENDING_SECONDS", 0.01)
    rooms = Rooms(shelf)
    ana = Peer(7)
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as two:
        await two.read()
        async with connected(sync, "/sync/bees") as one:
            await ana.join(one)
            shelf.store.fill()
            one.write(ana.add("x" * 100_000))
            assert (await one.closed()).code == 1013
        shelf.store.free()
        assert isinstance(await two.read(), SyncStep1)


async def test_a_client_that_goes_leaves_what_it_sent(rooms: Rooms, shelf: NoteShelf) -> None:
    ana = Peer(7)
    async with connected(routes(rooms), "/sync/bees") as wire:
        await ana.join(wire)
        async with shelf.store.stopped():
            for character in "last words":
                wire.write(ana.add(character))
            wire.hang_up()
            await settled()
    assert await shelf.text("bees") == await shelf.replayed("bees") == MIXED + "last words"


# presence


def who(name: str) -> str:
    return json.dumps({"user": {"name": name}})


async def test_presence_is_shown_to_everybody_its_sender_too(rooms: Rooms) -> None:
    sync = routes(rooms)
    ana = Presence(7, 1, who("Ana"))
    async with connected(sync, "/sync/bees") as one, connected(sync, "/sync/bees") as two:
        await one.read()
        await two.read()
        one.show(ana)
        assert await one.seen() == await two.seen() == [ana]
        async with connected(sync, "/sync/bees") as three:
            await three.read()
            assert await three.seen() == [replace(ana, clock=2)]
            three.write(QueryAwareness())
            assert await three.seen() == [replace(ana, clock=3)]


async def test_who_disconnects_is_gone_at_once(rooms: Rooms) -> None:
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as two:
        await two.read()
        async with connected(sync, "/sync/bees") as one:
            one.show(Presence(7, 5, who("Ana")))
            await two.seen()
        assert await two.seen() == [Presence(7, 6, "null")]
        two.write(QueryAwareness())
        assert await two.seen() == []


async def test_presence_that_is_no_json_is_refused(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        wire.show(Presence(7, 1, "{"))
        assert (await wire.closed()).code == 4400


async def test_an_assistant_is_shown_for_a_while(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        await wire.read()
        cursor = {"anchor": {"tname": "contents"}, "head": {"tname": "contents"}}
        rooms.announce("bees", "Claude", seconds=60, cursor=cursor)
        rooms.announce("clover", "Claude")
        (shown,) = await wire.seen()
        state = json.loads(shown.state)
        assert state["user"]["name"] == "Claude"
        assert state["user"]["kind"] == "assistant"
        assert state["cursor"] == cursor
        rooms.announce("bees", "Claude", seconds=0.05)
        (again,) = await wire.seen()
        assert (again.client, again.clock) == (shown.client, shown.clock + 1)
        wire.show(Presence(shown.client, 99, who("Mallory")))
        assert await wire.seen() == [Presence(shown.client, again.clock + 1, "null")]


async def test_an_assistant_is_shown_where_it_wrote(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        await wire.read()
        edit = [Edit(0, 0, "Bees! ")]
        await rooms.notes.documents.edit("bees", lambda _: edit, "assistant:Claude")
        await rooms.notes.documents.edit("bees", lambda _: edit, "person:Ann")
        frames = [await wire.read() for _ in range(3)]
        (shown,) = [f for f in frames if isinstance(f, Awareness)]
        (presence,) = decode_awareness(shown.payload)
        state = json.loads(presence.state)
        assert state["user"]["name"] == "Claude"
        assert state["cursor"]["head"]["item"]["clock"] == len("Bees! ") - 1


async def test_an_assistant_that_is_shown_does_not_outlive_the_room(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        rooms.announce("bees", "nobody is there yet")
        await wire.read()
        rooms.announce("bees", "Claude")
        await wire.seen()
    async with connected(routes(rooms), "/sync/bees") as wire:
        assert isinstance(await wire.read(), SyncStep1)
        wire.write(QueryAwareness())
        assert await wire.seen() == []


# reading only


async def test_one_who_may_only_read_reads_and_is_seen(rooms: Rooms, shelf: NoteShelf) -> None:
    ana, bo = Peer(7), Peer(8)
    async with (
        connected(routes(rooms, read_only=True), "/sync/bees") as reader,
        connected(routes(rooms), "/sync/bees") as writer,
    ):
        assert await reader.seen() == []
        await bo.join(writer)
        bo_hears = await reader.ask(ana.question())
        ana.hear(bo_hears)
        writer.write(bo.add("x"))
        ana.hear(await reader.read())
        assert str(ana) == MIXED + "x"
        reader.show(Presence(7, 1, who("Ana")))
        assert await writer.seen() == await reader.seen()
    assert await shelf.text("bees") == MIXED + "x"


async def test_what_a_reader_writes_is_refused_unread(rooms: Rooms, shelf: NoteShelf) -> None:
    ana = Peer(7)
    async with connected(routes(rooms, read_only=True), "/sync/bees") as wire:
        await wire.read()
        assert await wire.ask(SyncStatus(b"\1")) == SyncStatus(b"\1")
        wire.write(ana.add("x"))
        assert isinstance(await wire.read(), DeniedFrame)
        wire.write(SyncStep2(ana.doc.get_update()))
        wire.write(b"\x80\0\2")  # an update that ends too early, and says 0 in two bytes
        wire.write(bytes([0, 1]) + bytes.fromhex(next(iter(HOSTILE.values()))))
        # saved is what was saved before
        assert await wire.ask(SyncStatus(b"\2")) == SyncStatus(b"\1")
    assert await shelf.text("bees") == MIXED


# harm


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("step", [SyncStep2, UpdateFrame])
async def test_a_hostile_update_costs_its_sender_the_connection_and_nobody_else(
    rooms: Rooms, shelf: NoteShelf, name: str, step: type[SyncStep2 | UpdateFrame]
) -> None:
    ana, bo = Peer(7), Peer(8)
    sync = routes(rooms)
    async with (
        connected(sync, "/sync/bees") as same,
        connected(sync, "/sync/clover") as other,
    ):
        await ana.join(same)
        await bo.join(other)
        async with connected(sync, "/sync/bees") as wire:
            wire.write(step(bytes.fromhex(HOSTILE[name])))
            early = name.startswith("future delete")  # which an honest client could send
            assert (await wire.closed()).code == (1013 if early else 4400)
        for peer, wire in ((ana, same), (bo, other)):
            wire.write(peer.add("fine"))
            assert await wire.ask(SyncStatus(b"\1")) == SyncStatus(b"\1")
    assert await shelf.replayed("bees") == str(ana) == MIXED + "fine"
    assert await shelf.replayed("clover") == str(bo)


async def test_one_who_deletes_what_the_server_has_yet_to_hear_is_told_to_come_back(
    rooms: Rooms, shelf: NoteShelf
) -> None:
    """Two tabs of a browser tell each other of edits; one may delete what the other just wrote.

    A y-websocket client comes back after 1013, and its first answer then holds all of that; after
    4400 it would stay away with its words.
    """
    ana, bo = Peer(7), Peer(8)
    sync = routes(rooms)
    async with connected(sync, "/sync/bees") as wire:
        await bo.join(wire)
        ana.doc.apply_update(bo.doc.get_update())
        bo.hear(ana.add("typo"))
        before = bo.doc.get_state()
        del bo.text[len(bo.text) - 4 :]
        wire.write(UpdateFrame(bo.doc.get_update(before)))
        assert (await wire.closed()).code == 1013
    bo.add("offline")
    async with connected(sync, "/sync/bees") as wire:
        asked = await wire.read()
        assert isinstance(asked, SyncStep1)
        wire.write(SyncStep2(bo.doc.get_update(asked.state_vector)))
        assert await wire.ask(SyncStatus(b"\1")) == SyncStatus(b"\1")
    assert await shelf.replayed("bees") == str(bo) == MIXED + "offline"


@pytest.mark.parametrize("frame", [b"\0", b"\0\x09\0", b"\0\0\x05\1", b"\1\1\1\1", b"\xff" * 12])
async def test_a_frame_that_makes_no_sense_is_refused(rooms: Rooms, frame: bytes) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        wire.write(frame)
        assert (await wire.closed()).code == 4400


async def test_text_messages_are_refused(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        wire.inward.put_nowait({"type": "websocket.receive", "text": "hello"})
        closed = await wire.closed()
    assert closed == Closed(4400, "Only binary messages are understood here.")


async def test_a_long_reason_is_cut_between_characters(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        await wire.read()
        rooms.dismiss("bees", NotFound("漢" * 100))
        assert await wire.closed() == Closed(4404, "漢" * 41)


async def test_everybody_can_be_sent_away(rooms: Rooms) -> None:
    sync = routes(rooms)
    async with (
        connected(sync, "/sync/bees") as one,
        connected(sync, "/sync/bees") as two,
        connected(sync, "/sync/clover") as other,
    ):
        await one.read()
        await two.read()
        await other.read()
        rooms.dismiss("bees", Unavailable("The note is moving; come back."))
        gone = Closed(1013, "The note is moving; come back.")
        assert [await one.read(), await two.read()] == [gone, gone]
        assert isinstance(await other.ask(NOTHING_KNOWN), SyncStep2)


# slow readers


async def test_a_slow_reader_is_bounded_and_then_heals(rooms: Rooms, shelf: NoteShelf) -> None:
    slow, quick, ana = Peer(7), Peer(8), Peer(9)
    sync = routes(rooms)
    async with (
        connected(sync, "/sync/bees") as stalled,
        connected(sync, "/sync/bees") as reading,
        connected(sync, "/sync/bees") as writing,
    ):
        for peer, wire in ((slow, stalled), (quick, reading), (ana, writing)):
            await peer.join(wire)
        stalled.writable.clear()
        before = stalled.taken
        for number in range(FRAMES_MAX + 200):
            writing.write(ana.add(f"{number} 😀\n"))
            if number % 100 == 0:
                writing.show(Presence(9, number + 1, who("Ana")))
        writing.show(Presence(9, 9999, "null"))
        await heard(reading, quick, str(ana))
        assert str(quick) == str(ana)
        stalled.writable.set()
        seen = await heard(stalled, slow, str(ana))
        writing.write(ana.add("and on"))
        seen += await heard(stalled, slow, str(ana))
        assert len(seen) < 20
        assert stalled.taken - before < 100_000
        presences = [p for m in seen if isinstance(m, Awareness) for p in shown(m)]
        assert presences[-1] == Presence(9, 9999, "null")
        assert str(slow) == str(ana) == await shelf.text("bees")


async def heard(wire: Wire, peer: Peer, text: str) -> list[object]:
    """Read until the peer has this text."""
    seen: list[object] = []
    while str(peer) != text or not isinstance(seen[-1], Awareness | UpdateFrame):
        seen.append(message := await wire.read())
        assert not isinstance(message, Closed), message
        peer.hear(message)
    await settled()
    for message in wire.unread():
        seen.append(message)
        peer.hear(message)
    return seen


def shown(message: Awareness) -> list[Presence]:
    return decode_awareness(message.payload)


async def test_one_who_asks_without_reading_is_not_read_any_more(rooms: Rooms) -> None:
    async with connected(routes(rooms), "/sync/bees") as wire:
        await wire.read()
        wire.writable.clear()
        for _ in range(3 * FRAMES_MAX):
            wire.write(SyncStep1(encode_state_vector({})))
        for _ in range(400):
            await settled()
        left = wire.inward.qsize()
        assert left > FRAMES_MAX
        await settled()
        assert wire.inward.qsize() == left
        wire.writable.set()
        for _ in range(3 * FRAMES_MAX):
            assert isinstance(await wire.read(), SyncStep2)
