import pytest
from hypothesis import given, strategies as st

from commonplace.core.yjs import encoding
from commonplace.core.yjs.encoding import ByteReader, HostileUpdate

numbers = st.integers(0, encoding.NUMBER_MAX)


@given(numbers)
def test_a_number_is_read_as_it_was_written(value: int) -> None:
    reader = ByteReader(encoding.varuint(value))
    assert reader.varuint() == value
    reader.finish()


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "00"), (127, "7f"), (128, "8001"), (300, "ac02"), (2**53 - 1, "ffffffffffffff0f")],
)
def test_numbers_are_written_as_yjs_writes_them(value: int, written: str) -> None:
    assert encoding.varuint(value).hex() == written


@pytest.mark.parametrize("written", ["", "80", "ffffffffffffff1f", "ff" * 9 + "01", "ff" * 400])
def test_a_number_that_is_cut_off_or_too_big_is_refused(written: str) -> None:
    with pytest.raises(HostileUpdate):
        ByteReader(bytes.fromhex(written)).varuint()


@given(st.text())
def test_a_string_is_read_as_it_was_written(text: str) -> None:
    reader = ByteReader(encoding.var_string(text))
    assert reader.var_string() == text
    reader.finish()


@pytest.mark.parametrize("data", [b"\x02a", b"\x01\xff", b"\x03\xed\xa0\x80"])
def test_a_string_that_is_cut_off_or_not_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(HostileUpdate):
        ByteReader(data).var_string()


def test_a_count_beyond_the_bytes_that_follow_is_refused() -> None:
    with pytest.raises(HostileUpdate):
        ByteReader(b"\x05\0\0").count(100)
    with pytest.raises(HostileUpdate):
        ByteReader(b"\x05\0\0\0\0\0").count(4)


def test_bytes_left_over_are_refused() -> None:
    with pytest.raises(HostileUpdate):
        ByteReader(b"\0").finish()


@given(st.dictionaries(numbers, st.integers(0, encoding.CLOCK_MAX)))
def test_a_state_vector_is_read_as_it_was_written(known: dict[int, int]) -> None:
    assert encoding.decode_state_vector(encoding.encode_state_vector(known)) == known


def test_a_client_named_twice_counts_with_its_higher_clock() -> None:
    assert encoding.decode_state_vector(b"\x02\x07\x09\x07\x03") == {7: 9}


@given(st.binary(max_size=40))
def test_any_bytes_are_a_state_vector_or_are_refused(data: bytes) -> None:
    try:
        known = encoding.decode_state_vector(data)
    except HostileUpdate:
        return
    assert all(clock <= encoding.CLOCK_MAX for clock in known.values())
