"""Values inside an update are passed over without recursion, and their number is bounded."""

import pytest

from commonplace.core.yjs.encoding import ByteReader, HostileUpdate, var_string
from commonplace.core.yjs.values import VALUE_DEPTH_MAX, skip_value

NULL = b"\x7e"


def passed(data: bytes, values_max: int = 100, before: int = 0) -> tuple[int, int]:
    """How many values were passed, and how many bytes are left."""
    reader = ByteReader(data)
    count = skip_value(reader, before, values_max)
    return count, reader.end - reader.at


@pytest.mark.parametrize(
    "value",
    [
        b"\x7f",
        b"\x79",
        b"\x7d\x05",
        b"\x7d\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x7b" + bytes(8),
        b"\x7c" + bytes(4),
        b"\x77" + var_string("é"),
        b"\x74\x02ab",
        b"\x75\0",
        b"\x76\0",
    ],
)
def test_one_value_is_passed_and_nothing_behind_it(value: bytes) -> None:
    assert passed(value + b"rest") == (1, 4)


def test_all_that_is_inside_counts() -> None:
    inside = b"\x76\x02" + var_string("k") + b"\x75\x02" + NULL * 2 + var_string("l") + NULL
    assert passed(inside) == (5, 0)
    assert passed(inside, before=7) == (12, 0)
    with pytest.raises(HostileUpdate, match="too many"):
        passed(inside, values_max=4)


def test_nesting_has_its_bound() -> None:
    deep = VALUE_DEPTH_MAX
    assert passed(b"\x75\x01" * (deep - 1) + NULL)[1] == 0
    with pytest.raises(HostileUpdate, match="too deeply"):
        passed(b"\x75\x01" * (deep + 2) + NULL)


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\x01",
        b"\x7d" + b"\xff" * 8,
        b"\x7b" + bytes(3),
        b"\x75\x05" + NULL,
        b"\x74\x05ab",
        b"\x77\x02\xff\xff",
    ],
)
def test_what_is_cut_off_or_of_no_known_kind_is_refused(value: bytes) -> None:
    with pytest.raises(HostileUpdate):
        passed(value)
