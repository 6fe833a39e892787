"""JSON-RPC messages as lines: no line, however broken, stops the ones after it."""

import json

import mcp_types as types
import pytest
from hypothesis import given, strategies as st

from commonplace.server.mcp.jsonrpc_lines import Refused, decoded, encoded
from commonplace.server.owner.line_buffer import TooLong

REQUEST = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def refusal(line: bytes | TooLong) -> tuple[str | int | None, int]:
    found = decoded(line)
    assert isinstance(found, Refused)
    assert found.reply.error.message
    return found.reply.id, found.reply.error.code


@pytest.mark.parametrize(
    "message",
    [
        REQUEST,
        {**REQUEST, "id": "x", "params": {"name": "half \ud800"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "result": {"日": [None, 1.5]}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}},
    ],
)
def test_a_message_is_read_and_written_again(message: dict[str, object]) -> None:
    found = decoded(json.dumps(message).encode())
    assert not isinstance(found, Refused)
    line = encoded(found)
    assert json.loads(line) == message
    assert b"\n" not in line


@pytest.mark.parametrize(
    "line", [b"", b"{", b"\xff", b"nope", b"[" * 100_000, b"\xef\xbb\xbf{}", b'{"a":1}{']
)
def test_what_is_no_json_is_a_fault_of_nobodys_request(line: bytes) -> None:
    assert refusal(line) == (None, types.PARSE_ERROR)


@pytest.mark.parametrize(
    ("line", "id"),
    [
        (b"{}", None),
        (b"[]", None),
        (b"null", None),
        (b'{"id":7,"method":"ping"}', 7),
        (b'{"jsonrpc":"1.0","id":"x","method":"ping"}', "x"),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', 1),
        (b'{"jsonrpc":"2.0","id":true,"method":5}', None),
    ],
)
def test_what_is_no_message_is_refused_under_its_id(line: bytes, id: str | int | None) -> None:
    assert refusal(line) == (id, types.INVALID_REQUEST)


@pytest.mark.parametrize(
    ("head", "tail", "id"),
    [
        (b'{"jsonrpc":"2.0","id":5,"method":"x', b'yz"}', 5),
        (b'{"method":"x', b'yz","id":"x"}', "x"),
        (b"xxxx", b"xxxx", None),
    ],
)
def test_a_line_that_is_too_long_is_refused_under_its_id(
    head: bytes, tail: bytes, id: str | int | None
) -> None:
    assert refusal(TooLong(head, tail)) == (id, types.INVALID_REQUEST)


@given(st.binary())
def test_every_line_is_a_message_or_is_refused(line: bytes) -> None:
    found = decoded(line)
    assert isinstance(found, Refused) or encoded(found)
