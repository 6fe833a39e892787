"""One live document: edits, updates from outside, and everything that must not harm it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from pycrdt import Doc, Text

from commonplace.core.text import edits as changes
from commonplace.core.text.edits import Edit
from commonplace.core.yjs.encoding import NO_UPDATE, EarlyUpdate, HostileUpdate, decode_state_vector
from commonplace.core.yjs.scan import scan
from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.documents.document import Document, imported
from commonplace.vault.documents.engine.replica import EngineFault, Replica
from tests.core.yjs.updates import after, between, deleting, first, section, update

CORPUS: dict[str, str] = json.loads(
    (Path(__file__).parents[2] / "corpus" / "yjs_hostile.json").read_text(encoding="utf-8")
)
MIXED = "a😀b漢c\r\ne\u0301z👩‍👧\n"

texts = st.text(st.sampled_from("ab \n\ré漢😀\u0301👧\u200d"), max_size=12)
offsets = st.lists(st.integers(0, 12), min_size=2, max_size=6).map(sorted)


def document(text: str = "") -> Document:
    made = Document("note")
    begun = imported("note", text, "file")
    made.load([begun.update] if begun.update else [], begun.authors)
    return made


def write(note: Document, text: str, actor: str = "ana") -> bytes:
    """Make the note this text."""
    return note.edit(lambda before: changes.diff(before, text), actor).update


@given(texts, offsets, texts)
def test_offsets_are_code_points_whatever_the_text(text: str, at: list[int], new: str) -> None:
    at = [min(place, len(text)) for place in at]
    edits = [Edit(a, b, new) for a, b in zip(at[::2], at[1::2], strict=False)]
    note = document(text)
    edited = note.edit(lambda _: edits, "ana")
    assert note.text == edited.text == changes.apply(text, edits)
    reader = document(text)
    if edited.update:
        reader.apply(edited.update, "ana")
    assert reader.text == note.text


def test_the_engine_alone_takes_offsets_for_bytes() -> None:
    """The control: code points given straight to the engine write in the wrong place."""
    doc: Doc[Text] = Doc()
    text = doc.get("contents", type=Text)
    text.insert(0, MIXED)
    text.insert(2, "X")
    assert str(text) != MIXED[:2] + "X" + MIXED[2:]


def test_a_plan_that_fails_leaves_no_trace() -> None:
    note = document(MIXED)
    before = note.state()

    def plan(text: str) -> list[Edit]:
        raise BadArgument("not there")

    with pytest.raises(BadArgument, match="not there"):
        note.edit(plan, "ana")
    with pytest.raises(ValueError, match="overlaps"):
        note.edit(lambda _: [Edit(3, 5), Edit(4, 6)], "ana")
    assert note.state() == before
    assert not note.broken


@pytest.mark.parametrize("new", ["\ud800", "a\udfffb", "\0", "a\0b"])
def test_half_characters_and_nul_are_refused_before_anything_is_touched(new: str) -> None:
    note = document(MIXED)
    before = note.state()
    with pytest.raises(BadArgument):
        note.edit(lambda _: [Edit(0, 0, new)], "ana")
    with pytest.raises(BadArgument):
        note.ingest(before, new, "file")
    with pytest.raises(BadArgument):
        imported("note", new, "file")
    assert note.state() == before


def test_an_edit_that_changes_nothing_says_nothing() -> None:
    note = document(MIXED)
    edited = note.edit(lambda _: [Edit(1, 2, "😀")], "ana")
    assert (edited.update, edited.record, edited.authors) == (b"", b"", ())
    assert edited.text == MIXED


def test_a_note_cannot_grow_beyond_its_bound() -> None:
    note = document()
    with pytest.raises(BadArgument, match="10 MB"):
        note.edit(lambda _: [Edit(0, 0, "漢" * 4_000_000)], "ana")
    other = document()
    long = write(other, "x" * 6_000_000)
    note.apply(long, "ben")
    note.apply(long, "ben")  # what is known does not count twice
    with pytest.raises(HostileUpdate, match="too long"):
        note.apply(write(document(), "y" * 6_000_000), "ben")


def test_each_actor_writes_under_a_client_id_of_its_own() -> None:
    note = document("file\n")
    one = note.edit(lambda _: [Edit(0, 0, "ana ")], "ana")
    two = note.edit(lambda _: [Edit(0, 0, "ben ")], "ben")
    again = note.edit(lambda _: [Edit(0, 0, "ana again ")], "ana")
    ids = [next(iter(scan(edited.update).spans)) for edited in (one, two, again)]
    assert ids[0] == ids[2] != ids[1]
    assert {note.authors[client] for client in note.known} == {"file", "ana", "ben"}
    assert [author.actor for author in one.authors] == ["ana"]
    assert again.authors == ()


def test_an_actor_keeps_its_client_id_when_the_document_is_loaded_again() -> None:
    note = document()
    edited = note.edit(lambda _: [Edit(0, 0, "one")], "ana")
    again = Document("note")
    again.load([edited.record], edited.authors)
    more = again.edit(lambda _: [Edit(3, 3, " two")], "ana")
    assert more.authors == ()
    assert list(scan(more.update).spans) == [edited.authors[0].client]


def test_a_socket_and_the_server_never_share_a_client_id_even_for_one_actor() -> None:
    note = document()
    taken = note.apply(update(section(77, 0, first("typed"))), "ana")
    edited = note.edit(lambda _: [Edit(0, 0, "accepted ")], "ana")
    assert [(author.client, author.ours) for author in taken.authors] == [(77, False)]
    assert [author.ours for author in edited.authors] == [True]
    assert edited.authors[0].client != 77
    assert note.authors == {77: "ana", edited.authors[0].client: "ana"}


def test_nobody_can_write_ahead_under_a_client_id_of_the_servers() -> None:
    note = document()
    (mine,) = note.edit(lambda _: [Edit(0, 0, "abc")], "ana").authors
    with pytest.raises(HostileUpdate, match="never made"):
        note.apply(update(section(mine.client, 9, after(mine.client, 1, "forged"))), "eve")
    assert write(note, "abc and more") != b""
    assert note.text == "abc and more"


def test_large_documents_are_edited_by_turns_of_actors() -> None:
    note = document("line\n" * 5_000)
    for number in range(20):
        text = note.text
        actor = "ana" if number % 3 else "ben"
        edited = note.edit(lambda t, n=number: [Edit(n * 7, n * 7 + 1, f"<{n}😀>")], actor)
        assert edited.text == text[: number * 7] + f"<{number}😀>" + text[number * 7 + 1 :]
        if number % 4 == 0:
            other = document()
            other.load([note.full_update()])
            note.apply(write(other, "first line\n" + note.text, "carl"), "carl")


def test_an_update_is_heard_once() -> None:
    note, other = document(MIXED), document(MIXED)
    told = write(other, MIXED + "more")
    first_time, second_time = note.apply(told, "ana"), note.apply(told, "ana")
    assert first_time.update == first_time.record != b""
    assert second_time.update == second_time.record == b""


def test_what_must_wait_is_logged_but_not_told() -> None:
    writer = document()
    one, two, three = (write(writer, text) for text in ("a", "ab", "abc"))
    note = document()
    early = note.apply(three, "ana")
    assert (early.update, early.record) == (b"", three)
    assert note.apply(three, "ana").record == b""
    assert note.apply(two, "ana").update == b""
    closing = note.apply(one, "ana")
    reader = document()
    reader.apply(closing.update, "ana")
    assert reader.text == note.text == "abc"


def test_what_waits_survives_a_snapshot() -> None:
    writer = document()
    one, two, three = (write(writer, text) for text in ("a😀", "a😀b", "a😀bc"))
    note = document()
    note.apply(three, "ana")
    note.apply(one, "ana")
    snapshot = note.snapshot()
    assert snapshot is not None
    again = Document("note")
    again.load([snapshot])
    assert again.text == "a😀"
    again.apply(two, "ana")
    assert again.text == "a😀bc"


def test_another_side_gets_what_it_lacks() -> None:
    note, reader = document(), Document("note")
    write(note, MIXED)
    reader.apply(note.update_since(reader.state_vector()), "server")
    write(note, "more " + MIXED)
    update = note.update_since(reader.state_vector())
    assert len(update) < len(note.state())
    reader.apply(update, "server")
    assert reader.text == note.text
    assert decode_state_vector(reader.state_vector()) == dict(note.known)


def test_a_state_vector_inside_a_character_is_answered_with_the_whole_of_it() -> None:
    note = document()
    note.apply(update(section(5, 0, first("a😀b"))), "ana")
    reader = document()
    reader.apply(update(section(5, 0, first("a"))), "ana")
    reader.apply(note.update_since(b"\x01\x05\x02"), "ana")
    assert reader.text == "a😀b"


@pytest.mark.parametrize("name", CORPUS)
def test_the_hostile_corpus_does_no_harm(name: str) -> None:
    note = document(MIXED)
    before = note.state()
    with pytest.raises((EarlyUpdate, HostileUpdate)):
        note.apply(bytes.fromhex(CORPUS[name]), "eve")
    assert note.state() == before
    assert not note.broken


# as yjs 13.6 writes them: "ab😀cd", then an X between the halves, or one half deleted
YJS_EMOJI = bytes.fromhex("01014d00040108636f6e74656e7473086162f09f9880636400")
YJS_INSERTS_BETWEEN_HALVES = bytes.fromhex("01014d06c44d024d03015800")
YJS_DELETES_HALF = bytes.fromhex("00014d010301")


@pytest.mark.parametrize("split", [YJS_INSERTS_BETWEEN_HALVES, YJS_DELETES_HALF])
def test_a_client_that_splits_an_emoji_is_refused(split: bytes) -> None:
    note = document()
    note.apply(YJS_EMOJI, "ana")
    with pytest.raises(HostileUpdate, match="in half"):
        note.apply(split, "ana")
    assert note.text == "ab😀cd"


def test_the_engine_alone_loses_a_letter_beside_a_split_emoji() -> None:
    """The control: yjs shows 'ab\ufffdcd' here."""
    doc: Doc[Text] = Doc()
    text = doc.get("contents", type=Text)
    doc.apply_update(YJS_EMOJI)
    doc.apply_update(YJS_DELETES_HALF)
    assert str(text) == "ab😀d"


def test_nul_is_refused() -> None:
    note = document("safe")
    with pytest.raises(HostileUpdate, match="NUL"):
        note.apply(update(section(7, 0, first("a\0b"))), "eve")
    assert note.text == "safe"


@pytest.mark.parametrize(("left", "right"), [(1, 1), (2, 1), (3, 0)])
def test_a_right_neighbour_that_is_not_behind_the_left_one_is_refused(
    left: int, right: int
) -> None:
    """Yjs puts such an item elsewhere than the engine does: see `tests.live.test_order`."""
    note = document()
    note.apply(update(section(1, 0, first("abcd"))), "ana")
    evil = update(section(2, 0, between((1, left), (1, right), "X")))
    with pytest.raises(HostileUpdate, match="not behind"):
        note.apply(evil, "eve")
    note.apply(update(deletes=deleting((1, 0, 4))), "ana")  # the order of what is deleted stays
    with pytest.raises(HostileUpdate, match="not behind"):
        note.apply(evil, "eve")
    note.apply(update(section(2, 0, between((1, 1), (1, 2), "X"))), "eve")
    assert note.text == "X"


def test_an_emoji_that_arrives_after_its_split_stays_whole() -> None:
    note = document()
    note.apply(update(section(77, 6, after(77, 2, "X"))), "eve")
    note.apply(YJS_EMOJI, "ana")
    assert note.text == "ab😀cd"
    assert note.snapshot() is not None


def test_content_that_cannot_be_integrated_breaks_the_document_until_it_is_loaded_again() -> None:
    """Two blocks that follow each other pass the scan; the engine cannot place them."""
    note = document("safe")
    log = [note.state()]
    cycle = update(section(2, 0, after(3, 0, "x")), section(3, 0, after(2, 0, "y")))
    with pytest.raises(HostileUpdate):
        note.apply(cycle, "eve")
    assert note.broken
    for use in (lambda: note.text, note.state, note.state_vector, note.full_update):
        with pytest.raises(Unavailable):
            use()
    with pytest.raises(Unavailable):
        write(note, "more")
    note.load(log)
    assert note.text == "safe"
    write(note, "safe again")


def test_a_panic_of_the_engine_is_an_error_like_others() -> None:
    panicking = bytes.fromhex(CORPUS["mutated divide-by-zero panic"])
    with pytest.raises(EngineFault):
        Replica().apply([panicking])


def test_a_log_that_cannot_be_replayed_is_an_error_and_no_empty_note() -> None:
    note = document()
    with pytest.raises(Unavailable, match="doctor"):
        note.load([bytes.fromhex(CORPUS["mutated divide-by-zero panic"])])
    with pytest.raises(Unavailable):
        _ = note.text


@pytest.mark.slow
def test_twenty_thousand_mutated_updates_do_no_harm() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.vault.documents.mutations", "20000", "7"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("alive 20000"), done.stderr


def test_without_the_scan_one_update_ends_the_process() -> None:
    """The control for the mutated updates."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.vault.documents.mutations", "naive"],
        capture_output=True,
        check=False,
    )
    assert done.returncode < 0


def test_a_file_is_merged_at_the_level_of_characters() -> None:
    note = document("one two three 😀\n")
    base = note.state()
    write(note, "one TWO three 😀\n")
    ingested = note.ingest(base, "one two three 😀 漢\nfour\n", "file")
    assert note.text == ingested.text == "one TWO three 😀 漢\nfour\n"
    saved = Document("note")
    saved.load([ingested.base])
    assert saved.text == "one two three 😀 漢\nfour\n"


def test_a_file_without_changes_says_nothing() -> None:
    note = document("one\n")
    base = note.state()
    write(note, "one\ntwo\n")
    ingested = note.ingest(base, "one\n", "file")
    assert (ingested.update, ingested.record, ingested.base) == (b"", b"", base)


def test_saves_of_a_file_come_under_one_client_id_while_their_bases_follow_each_other() -> None:
    note = document("one\n")
    before = len(note.known)
    base = note.state()
    for number in range(5):
        base = note.ingest(base, f"one\n{number}\n", "file").base
    assert len(note.known) == before + 1


def test_a_save_from_an_old_base_never_uses_a_clock_twice() -> None:
    note = document("one\n")
    base = note.state()
    crashed = note.ingest(base, "one\ntwo\n", "file")
    again = note.ingest(base, "one\ntwo three\n", "file")
    assert not set(scan(crashed.update).spans) & set(scan(again.update).spans)
    reader = Document("note")
    reader.load([base, again.update, crashed.update])
    assert reader.text == note.text


def test_the_same_save_from_an_old_base_twice_is_one_save() -> None:
    note = document("one\n")
    base = note.state()
    note.ingest(base, "one\ntwo\n", "file")
    assert note.ingest(base, "one\ntwo three\n", "file").update != b""
    assert note.ingest(base, "one\ntwo three\n", "file").update == b""


@settings(max_examples=50)
@given(texts, texts, texts)
def test_what_either_side_added_is_in_the_merged_text(base: str, disk: str, live: str) -> None:
    note = document(base)
    state = note.state()
    write(note, live)
    merged = note.ingest(state, disk, "file")
    added = [edit.text for edit in (*changes.diff(base, disk), *changes.diff(base, live))]
    assert all(text in merged.text for text in added)


@given(texts.filter(bool))
def test_a_note_begins_with_the_update_that_the_engine_would_write(text: str) -> None:
    begun = imported("note", text, "file")
    assert begun.update == Replica(begun.authors[0].client).write([Edit(0, 0, text)], text)
    assert document(text).text == text


def test_the_same_note_always_begins_with_the_same_update() -> None:
    assert imported("note", MIXED, "file") == imported("note", MIXED, "file")
    assert imported("note", MIXED, "file").update != imported("other", MIXED, "file").update
    assert imported("note", "", "file").update == b""
    note = document(MIXED)
    note.apply(imported("note", MIXED, "file").update, "file")
    assert note.text == MIXED


def test_bytes_of_the_first_text_are_kept() -> None:
    text = "\ufeffone\r\ntwo\nthree\r"
    assert document(text).text == text


def test_an_empty_document_has_an_empty_state() -> None:
    assert document().state() == NO_UPDATE
