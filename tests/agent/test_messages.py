"""JSON messages to and from an agent: bounded, in order, junk left out."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator

import pytest

from commonplace.agent import messages
from commonplace.agent.messages import Json, MessageLines

pytestmark = pytest.mark.anyio

BYTES_MAX = 1_000_000


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Ends:
    """Our end of a conversation, and the agent's."""

    def __init__(self) -> None:
        self.taken: list[Json] = []

    async def open(self) -> None:
        here, there = socket.socketpair()
        reader, self._writer = await asyncio.open_connection(sock=here)
        self.agent_reads, self.agent_writes = await asyncio.open_connection(sock=there)
        self.lines = MessageLines(reader, self._writer, self._take, BYTES_MAX)

    async def _take(self, message: Json) -> None:
        self.taken.append(message)

    def says(self, *lines: bytes) -> None:
        self.agent_writes.write(b"".join(line + b"\n" for line in lines))

    async def close(self) -> None:
        for writer in (self._writer, self.agent_writes):
            writer.close()


@pytest.fixture
async def ends() -> AsyncGenerator[Ends]:
    ends = Ends()
    await ends.open()
    yield ends
    await ends.close()


async def test_what_an_agent_asks_is_taken_in_order_and_answers_come_through(ends: Ends) -> None:
    ends.says(b'{"method":"one"}', b'{"method":"two","id":1}', b'{"id":7,"result":"\xc3\xa4"}')
    assert await ends.lines.receive() == {"id": 7, "result": "ä"}
    assert [each["method"] for each in ends.taken] == ["one", "two"]


async def test_junk_is_left_out_and_counted(ends: Ends) -> None:
    junk = (b"log line", b"[1]", b"\xff", b'{"id":[]}', b'{"method":5}', b'{"id":1,"error":"x"}')
    ends.says(b"", b"  ", *junk, b"[" * 50_000, b'{"id":1}')
    assert await ends.lines.receive() == {"id": 1}
    assert ends.lines.dropped == len(junk) + 1


@pytest.mark.parametrize(("more", "dropped"), [(0, 0), (1, 1), (3_000_000, 1)])
async def test_a_line_is_as_long_as_the_bound_and_no_longer(
    ends: Ends, more: int, dropped: int
) -> None:
    frame = b'{"id":1,"result":"%b"}'
    ends.says(frame % (b"x" * (BYTES_MAX - len(frame) + 1 + more)), b'{"id":2}')
    found = await ends.lines.receive()
    assert found is not None
    assert (found["id"], ends.lines.dropped) == (1 + dropped, dropped)


async def test_a_line_without_its_end_is_no_message(ends: Ends) -> None:
    ends.agent_writes.write(b'{"id":1}')
    ends.agent_writes.write_eof()
    assert await ends.lines.receive() is None


async def test_what_is_sent_is_one_line_each_however_many_send(ends: Ends) -> None:
    sent = [{"id": number, "text": "日\n\ud800" * 1_000} for number in range(20)]
    sending = asyncio.gather(*[ends.lines.send(each) for each in sent])
    read = [json.loads(await ends.agent_reads.readline()) for _ in sent]
    await sending
    assert sorted(read, key=lambda each: each["id"]) == sent


async def test_what_is_too_long_is_not_sent(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "SENT_BYTES_MAX", 10)
    with pytest.raises(ValueError, match="too long"):
        await ends.lines.send({"id": "x" * 10})


async def test_to_close_it_twice_is_no_fault(ends: Ends) -> None:
    for _ in range(2):
        await ends.lines.close()
    assert await ends.agent_reads.read() == b""
