import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteStream
from hypothesis import given, settings, strategies as st
from mcp_types import JSONRPCError, JSONRPCResponse

from commonplace.server.mcp.direct.transport_stream import over_transport
from commonplace.server.mcp.jsonrpc_lines import MESSAGE_BYTES_MAX, Refused, decoded, encoded
from commonplace.server.mcp.stream import UNANSWERED_MAX, serve_stream
from tests.server.small_vault import OWNER, Shelf, pair, service_on
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


def call(number: object, path: str, **more: object) -> dict[str, Any]:
    params: dict[str, Any] = {
        "name": "read",
        "arguments": {"file_path": path, **more},
        "_meta": META,
    }
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


class Wire:
    """A client that speaks lines, and keeps whatever came back."""

    def __init__(self, stream: SocketStream) -> None:
        self.stream = stream
        self._rest = b""

    async def say(self, *messages: object) -> None:
        await self.write(b"".join(json.dumps(m).encode() + b"\n" for m in messages))

    async def write(self, data: bytes) -> None:
        await self.stream.send(data)

    async def hear(self) -> dict[str, Any]:
        with anyio.fail_after(PATIENCE):
            while b"\n" not in self._rest:
                self._rest += await self.stream.receive()
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    async def end(self) -> list[dict[str, Any]]:
        """Say no more, and hear what is left to be heard."""
        await self.stream.send_eof()
        return await self.rest()

    async def rest(self) -> list[dict[str, Any]]:
        data = self._rest + b"".join([part async for part in self.stream])
        return [json.loads(line) for line in data.splitlines()]


@asynccontextmanager
async def session(shelf: Shelf | None = None) -> AsyncGenerator[Wire]:
    """A raw session, which must be over soon after its client has left."""
    near, far = await pair()
    left = 0.0
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve, shelf or Shelf(), far)
            async with near:
                yield Wire(near)
            left = perf_counter()
    assert perf_counter() - left < 5.0


async def serve(shelf: Shelf, stream: SocketStream) -> None:
    async with stream, over_transport(BufferedByteStream(stream)) as quick:
        await serve_stream(service_on(shelf), quick, quick, OWNER)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"nonsense\n", -32700),
        (b'{"jsonrpc": "2.0"\n', -32700),
        (b"\xff\xfe{}\n", -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b"[]\n", -32600),
        (b"{}\n", -32600),
        (b"null\n", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600),
    ],
)
async def test_a_broken_line_is_answered_and_the_session_goes_on(line: bytes, code: int) -> None:
    async with session() as wire:
        await wire.write(line)
        answer = await wire.hear()
        assert answer["error"]["code"] == code
        await wire.say(call(7, "Garden/Clover.md"))
        assert (await wire.hear())["result"]["content"][0]["text"] == "# Clover\n"


async def test_a_broken_request_is_answered_under_its_own_id() -> None:
    async with session() as wire:
        await wire.say({"jsonrpc": "2.0", "id": "x-1", "method": 5})
        assert (await wire.hear())["id"] == "x-1"


async def test_a_line_over_the_limit_is_refused_and_not_kept() -> None:
    async with session() as wire:
        await wire.write(b'{"jsonrpc":"2.0","id":9,"method":"x","params":{"y":"')
        piece = b"z" * 65536
        for _ in range(MESSAGE_BYTES_MAX // len(piece) + 1):
            await wire.write(piece)
        await wire.write(b'"}}\n')
        answer = await wire.hear()
        assert answer["error"]["code"] == -32600
        assert answer["id"] == 9
        assert str(MESSAGE_BYTES_MAX) in answer["error"]["message"]
        await wire.say(call(10, "Garden/Clover.md"))
        assert (await wire.hear())["id"] == 10


async def test_a_long_line_under_the_limit_is_served() -> None:
    async with session() as wire:
        await wire.say(call(1, "x" * (MESSAGE_BYTES_MAX - 1000)))
        assert (await wire.hear())["result"]["isError"] is True


async def test_a_message_may_come_in_pieces_and_several_at_once() -> None:
    async with session() as wire:
        text = "".join(
            json.dumps(call(n, "日記/あ 😀.md"), ensure_ascii=False) + "\n" for n in (1, 2)
        )
        data = text.encode()
        for start in range(0, len(data), 3):
            await wire.write(data[start : start + 3])
        answers = [await wire.hear(), await wire.hear()]
        assert {a["id"] for a in answers} == {1, 2}
        assert {a["result"]["content"][0]["text"] for a in answers} == {"こんにちは\n"}


async def test_half_a_surrogate_pair_is_refused_by_the_name_of_its_parameter() -> None:
    async with session() as wire:
        await wire.say(call(1, "a\ud800b"))
        text = (await wire.hear())["result"]["content"][0]["text"]
        assert text.startswith("Error: `file_path` holds half of a surrogate pair")


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": "\ud800", "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "\ud800", "params": {"_meta": META}},
        {**call(1, "x"), "params": {"name": "\ud800", "_meta": META}},
        {**call(1, "x"), "params": {"name": "read", "arguments": {"\ud800": 1}, "_meta": META}},
    ],
)
async def test_half_a_surrogate_pair_anywhere_else_does_no_harm(message: object) -> None:
    async with session() as wire:
        await wire.say(message)
        assert (await wire.hear())["jsonrpc"] == "2.0"
        await wire.say(call(2, "Garden/Clover.md"))
        assert (await wire.hear())["id"] == 2


async def test_half_a_surrogate_pair_in_another_request_is_the_callers_fault() -> None:
    asked = {"uri": "note:///a\ud800.md"}
    async with session() as wire:
        await wire.say({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO})
        await wire.hear()
        await wire.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        await wire.say(
            {"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": asked}
        )
        error = (await wire.hear())["error"]
        assert (error["code"], "surrogate" in error["message"]) == (-32602, True)


async def test_what_was_asked_before_the_end_is_still_answered() -> None:
    async with session() as wire:
        await wire.say(
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        )
        answers = await wire.end()
        assert [a["id"] for a in answers] == [0, 1]
        assert all("result" in a for a in answers)


async def test_a_call_without_end_does_not_keep_the_session_alive() -> None:
    async with session() as wire:
        await wire.say(call(1, "never"))
        (answer,) = await wire.end()
        assert (answer["id"], answer["error"]["message"]) == (1, "Connection closed")


async def test_a_client_that_vanishes_in_the_middle_of_things_is_let_go() -> None:
    async with session() as wire:
        await wire.say(call(1, "never"), call(2, "Garden/Bees.md"))


async def test_a_client_that_does_not_read_is_let_go() -> None:
    shelf = Shelf({"big.md": "x" * 1_000_000})
    near, far = await pair()
    left = 0.0
    async with near, anyio.create_task_group() as tasks:
        tasks.start_soon(serve, shelf, far)
        await Wire(near).say(*(call(n, "big.md") for n in range(20)))
        await near.send_eof()
        left = perf_counter()
    assert not shelf.listeners
    assert perf_counter() - left < 5.0


async def test_a_listener_leaves_without_a_delay() -> None:
    listen: dict[str, Any] = {"notifications": {"resourcesListChanged": True}, "_meta": META}
    async with session() as wire:
        await wire.say(
            {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": listen}
        )
        assert (await wire.hear())["method"] == "notifications/subscriptions/acknowledged"
        left = perf_counter()
        await wire.end()
        assert perf_counter() - left < 1.5


async def test_calls_under_one_id_count_each() -> None:
    async with session() as wire:
        await wire.say(*(call(1, "never") for _ in range(UNANSWERED_MAX + 1)))
        assert "unanswered" in (await wire.hear())["error"]["message"]


async def test_there_are_only_so_many_calls_at_a_time_and_room_comes_back() -> None:
    async with session() as wire:
        await wire.say(*(call(n, "never") for n in range(UNANSWERED_MAX)))
        await wire.say(call("more", "Garden/Clover.md"))
        refused = await wire.hear()
        assert refused["id"] == "more"
        assert "unanswered" in refused["error"]["message"]
        cancelled = {"method": "notifications/cancelled", "params": {"requestId": 5}}
        await wire.say({"jsonrpc": "2.0", **cancelled}, call("again", "Garden/Clover.md"))
        assert (await wire.hear())["result"]["content"][0]["text"] == "# Clover\n"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
    max_leaves=10,
)
ALMOST = st.fixed_dictionaries(
    {}, optional={"jsonrpc": st.just("2.0"), "id": ANY_JSON, "method": ANY_JSON, "params": ANY_JSON}
)


@settings(max_examples=300)
@given(st.binary() | (ALMOST | ANY_JSON).map(lambda value: json.dumps(value).encode()))
def test_any_line_is_a_message_or_is_refused(line: bytes) -> None:
    message = decoded(line)
    if isinstance(message, Refused):
        message = message.reply
        assert isinstance(message, JSONRPCError)
    assert b"\n" not in encoded(message)


def test_an_answer_that_echoes_half_a_surrogate_pair_can_still_be_written() -> None:
    answer = JSONRPCResponse(jsonrpc="2.0", id=1, result={"x": "a\ud800"})
    assert json.loads(encoded(answer))["result"] == {"x": "a\ud800"}
