"""JSON-RPC messages as plain objects: nothing that is read can fail the relay."""

import pytest
from hypothesis import given, strategies as st

from commonplace.server.relay.jsonrpc import (
    answered_key,
    id_key,
    members,
    params_of,
    parsed,
    written,
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id":1}', {"id": 1}),
        (b'{"id":1', {}),
        (b"[1]", {}),
        (b'"x"', {}),
        (b"null", {}),
        (b"", {}),
        (b"\xff\xfe", {}),
        (b"[" * 100_000, {}),
        (b'{"a":"\\ud800"}', {"a": "\ud800"}),
    ],
)
def test_what_is_no_message_comes_out_empty(line: bytes, message: dict[str, object]) -> None:
    assert parsed(line) == message


@given(st.binary())
def test_no_line_is_too_odd(line: bytes) -> None:
    assert isinstance(parsed(line), dict)
    assert answered_key(line) is None or b'"id":' in line


def test_a_message_is_written_as_one_line_and_read_again() -> None:
    message: dict[str, object] = {"method": "日\n😀", "params": {"half": "\ud800"}}
    line = written(message)
    assert b"\n" not in line
    assert written({"a": "日"}) == '{"a":"日"}'.encode()
    assert params_of({"params": [1]}) == params_of({}) == members(None) == {}
    assert params_of({"params": {"a": 1}}) == {"a": 1}


def test_ids_are_compared_as_json() -> None:
    keys = [id_key(each) for each in (1, "1", None, "é", 'a"b')]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("id", "known"),
    [
        ("0", True),
        ("9999999999999999", True),
        ('"a b"', True),
        ('""', True),
        # Each of these `json` could write otherwise.
        ("-1", False),
        ("01", False),
        ("1.0", False),
        ("99999999999999999", False),
        ('"a\\n"', False),
        ('"é"', False),
        ("null", False),
    ],
)
def test_an_answer_is_told_by_its_beginning(id: str, known: bool) -> None:
    line = f'{{"jsonrpc":"2.0","id":{id},"result":{{}}}}'.encode()
    assert answered_key(line) == (id if known else None)
    if known:
        assert answered_key(line) == id_key(parsed(line)["id"])
    assert answered_key(line.replace(b"result", b"error")) is None
    assert answered_key(b" " + line) is None
