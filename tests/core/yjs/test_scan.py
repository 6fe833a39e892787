import contextlib
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from commonplace.core.yjs.encoding import CLOCK_MAX, HostileUpdate, var_string, varuint
from commonplace.core.yjs.policy import ANYTHING, PLAIN_TEXT
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Deletion
from tests.core.yjs.updates import (
    ROOT,
    after,
    before,
    between,
    deleting,
    first,
    section,
    skip,
    update,
)

CORPUS: dict[str, str] = json.loads(
    (Path(__file__).parents[2] / "corpus" / "yjs_hostile.json").read_text(encoding="utf-8")
)


def content(kind: int, data: bytes) -> bytes:
    """One struct of another kind of content, after the first letter of client 1."""
    return update(section(2, 0, bytes((0x80 | kind,)) + b"\x01\0" + data))


# What deletes too early is refused by the gate, which knows the clocks: see `test_gate`.
@pytest.mark.parametrize("name", [name for name in CORPUS if not name.startswith("future delete")])
def test_what_killed_a_server_is_refused(name: str) -> None:
    with pytest.raises(HostileUpdate):
        scan(bytes.fromhex(CORPUS[name]))


def test_an_update_is_read_by_client_and_clock() -> None:
    found = scan(
        update(
            section(7, 3, after(7, 2, "ab"), skip(4), between((9, 1), (9, 2), "é")),
            section(9, 0, first("x漢")),
            deletes=deleting((7, 0, 2)),
        )
    )
    assert found.spans == {7: [(3, 5), (9, 10)], 9: [(0, 2)]}
    assert found.needs == {7: 3, 9: 3}
    assert found.deletions == (Deletion(7, 0, 2),)
    assert found.units == 5


def test_clocks_count_utf16_units_and_pairs_are_found() -> None:
    found = scan(update(section(5, 10, after(5, 9, "a😀漢🇩🇪"))))
    assert found.spans == {5: [(10, 18)]}
    assert {client: list(clocks) for client, clocks in found.pairs.items()} == {5: [11, 14, 16]}


def test_cuts_tell_after_which_unit_the_text_is_opened() -> None:
    written = update(
        section(2, 0, after(1, 4, "x"), before(1, 8, "y")), deletes=deleting((3, 5, 2))
    )
    assert scan(written).cuts == ((1, 4), (1, 7), (3, 4), (3, 6))


def test_blocks_are_kept_when_asked_for() -> None:
    found = scan(update(section(7, 3, after(7, 2, "ab"), skip(4), after(1, 0, "c"))), blocks=True)
    assert [(block.client, block.clock, block.end) for block in found.blocks] == [
        (7, 3, 5),
        (7, 9, 10),
    ]
    assert found.blocks[1].raw == after(1, 0, "c")
    assert found.blocks[1].needs == ((1, 0),)


def test_an_update_is_ready_only_where_it_joins_what_is_known() -> None:
    found = scan(update(section(7, 3, after(1, 0, "a"), skip(2), after(7, 3, "b"))))
    assert found.ready({1: 1, 7: 6})
    assert not found.ready({1: 1, 7: 3})  # what it skips is missing
    assert not found.ready({1: 1, 7: 2})
    assert not found.ready({7: 6})
    assert not scan(update(deletes=deleting((1, 0, 2)))).ready({1: 1})


def nested(depth: int) -> bytes:
    return content(8, b"\x01" + b"\x75\x01" * depth + b"\x7e")


def test_values_of_every_kind_are_passed_over() -> None:
    values = [
        b"\x7f",
        b"\x7e",
        b"\x79",
        b"\x78",
        b"\x7d\x85\x07",
        b"\x7c" + bytes(4),
        b"\x7b" + bytes(8),
        b"\x7a" + bytes(8),
        b"\x77" + var_string("é"),
        b"\x74\x02ab",
        b"\x75\x02\x7e\x7f",
        b"\x76\x01" + var_string("key") + b"\x75\0",
    ]
    data = varuint(len(values)) + b"".join(values)
    assert scan(content(8, data)).spans == {2: [(0, len(values))]}
    scan(nested(30))


@pytest.mark.parametrize(
    "kind",
    [
        (3, b"\x02ab"),
        (5, var_string("{}")),
        (6, var_string("bold") + var_string("true")),
        (7, b"\x01"),
        (7, b"\x03" + var_string("p")),
        (9, var_string("guid") + b"\x76\0"),
    ],
)
def test_content_that_a_note_does_not_take_is_refused_there_alone(kind: tuple[int, bytes]) -> None:
    scan(content(*kind))
    with pytest.raises(HostileUpdate):
        scan(content(*kind), policy=PLAIN_TEXT)


HOSTILE = {
    "nothing": b"",
    "cut off": update(section(1, 0, first("abc")))[:-3],
    "left over": update() + b"\0",
    "many clients": varuint(2**40),
    "many structs": b"\x01" + varuint(2**31) + b"\x01\0",
    "no structs": update(section(1, 0)),
    "client twice": update(section(1, 0, first("a")), section(1, 0, first("b"))),
    "client too big": update(section(2**53, 0, first("a"))),
    "clock too big": update(section(1, CLOCK_MAX, after(1, 0, "a"))),
    "collected too far": update(section(1, 5, b"\0" + varuint(CLOCK_MAX))),
    "empty text": update(section(1, 0, first(""))),
    "empty collected": update(section(1, 0, b"\0\0")),
    "empty skip": update(section(1, 0, skip(0), first("a"))),
    "empty deleted": update(section(1, 0, b"\x01" + ROOT + b"\0")),
    "empty values": content(8, b"\0"),
    "empty deletion": update(deletes=deleting((1, 0, 0))),
    "refers to itself": update(section(1, 0, after(1, 0, "a"))),
    "refers ahead": update(section(1, 0, after(1, 5, "a"))),
    "flags on collected": update(section(1, 0, b"\xe0\x03")),
    "unused flag": update(section(1, 1, b"\x94\x01\0" + var_string("a"))),
    "legacy JSON": content(2, b"\x01" + var_string("1")),
    "no such content": content(11, b"\0"),
    "no such type": content(7, b"\x07"),
    "no such value": content(8, b"\x01\x01"),
    "deep values": nested(33),
    "very deep values": nested(50_000),
    "endless number": content(8, b"\x01\x7d" + b"\xff" * 20 + b"\0"),
    "not UTF-8": update(section(1, 0, b"\x04" + ROOT + b"\x01\xff")),
    "half a character": update(section(1, 0, b"\x04" + ROOT + b"\x03\xed\xa0\x80")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_updates_are_refused(name: str) -> None:
    with pytest.raises(HostileUpdate):
        scan(HOSTILE[name], policy=ANYTHING)


def test_a_note_takes_no_other_root_and_no_keys() -> None:
    elsewhere = update(section(1, 0, b"\x04\x01" + var_string("other") + var_string("a")))
    keyed = update(section(1, 0, b"\x24" + ROOT + var_string("key") + var_string("a")))
    for written in (elsewhere, keyed):
        scan(written)
        with pytest.raises(HostileUpdate):
            scan(written, policy=PLAIN_TEXT)


def test_too_many_bytes_structs_or_values_are_refused() -> None:
    with pytest.raises(HostileUpdate):
        scan(bytes(9 * 1024 * 1024))
    with pytest.raises(HostileUpdate):
        scan(update(section(1, 0, *[b"\0\x01"] * 200_001)))
    with pytest.raises(HostileUpdate):
        scan(content(8, varuint(200_001) + b"\x7e" * 200_001))


def test_a_megabyte_of_anything_is_read_or_refused_in_a_moment() -> None:
    million = 1024 * 1024
    hostile = [
        update(section(1, 0, *[b"\0\x01"] * 199_000)),
        content(8, varuint(199_000) + b"\x75\x01" * 31 + b"\x7e" * 199_000),
        content(8, b"\x01\x75" + varuint(199_000) + b"\x75\0" * 199_000),
        b"\xff" * million,
        b"\x01" * million,
        update(deletes=b"\x01\x01" + varuint(199_000) + b"\x01\x01" * 199_000),
    ]
    for written in hostile:
        start = time.process_time()
        with contextlib.suppress(HostileUpdate):
            scan(written)
        assert time.process_time() - start < 5


@given(st.binary(max_size=200))
def test_any_bytes_are_an_update_or_are_refused(data: bytes) -> None:
    try:
        found = scan(data, blocks=True)
    except HostileUpdate:
        return
    assert all(block.length > 0 for block in found.blocks)
