import time

import pytest
from hypothesis import given, strategies as st

from commonplace.server.owner.line_buffer import LineBuffer, TooLong


@given(st.lists(st.binary(max_size=30)), st.data())
def test_lines_come_out_whole_however_they_are_cut(texts: list[bytes], data: st.DataObject):
    lines = [text.replace(b"\n", b"").replace(b"\r", b"") for text in texts]
    stream, splitter = b"".join(line + b"\n" for line in lines), LineBuffer()
    found: list[bytes | TooLong] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += splitter.feed(stream[:size])
        stream = stream[size:]
    assert found == [line for line in lines if line]


def test_a_line_over_the_bound_is_reported_by_its_ends_and_the_next_one_is_whole():
    splitter = LineBuffer(100)
    assert list(splitter.feed(b'{"id":3,' + b"x" * 60)) == []
    assert list(splitter.feed(b"x" * 60)) == []
    (long, line) = splitter.feed(b'y"}\nshort\n')
    assert isinstance(long, TooLong)
    assert long.request == b"3"
    assert long.head.startswith(b'{"id":3,')
    assert long.tail.endswith(b'y"}')
    assert line == b"short"


def test_an_id_inside_the_arguments_is_not_the_id_of_the_request():
    assert TooLong(b'{"params":{"id":7,', b'"x":{"id":8}}}').request is None
    assert TooLong(b'{"params":{"a":"', b'"},"id":"n"}').request == b'"n"'


@pytest.mark.parametrize("ident", [b"9" * 5000, b'"a\x01b"', b'"a\\"b"', b"1.5e9", b"[1]", b"-1"])
def test_an_id_that_is_not_plain_is_not_guessed(ident: bytes):
    assert TooLong(b'{"id":' + ident + b',"method":"x"', b"").request is None


def test_windows_line_ends_and_empty_lines_are_taken_out():
    assert list(LineBuffer().feed(b"a\r\n\r\nb\n")) == [b"a", b"b"]


def test_a_long_line_in_small_pieces_takes_linear_time():
    splitter, began = LineBuffer(), time.process_time()
    for _ in range(20_000):
        list(splitter.feed(b"x" * 500))
    assert time.process_time() - began < 1
