"""Answers that are given directly, against those of the SDK's server to the very same lines."""

import json
import os
import random
from collections import Counter
from dataclasses import replace
from typing import Any

import anyio
import pytest
from mcp_types import version

from commonplace.server.mcp.direct import introduction
from commonplace.server.mcp.direct.answers import DirectAnswers
from commonplace.server.mcp.direct.requests import Request
from commonplace.server.mcp.stream import SessionService, serve_stream
from commonplace.server.mcp.tool_calls import ToolCalls
from commonplace.tools.table import Actor, Progress, no_progress
from tests.server.mcp import exchanges
from tests.server.small_vault import OWNER, Shelf, pair, sdk_alone, server_on, service_on, toolbox
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

LENGTH = 12
MESSAGES = int(os.environ.get("LANES_MESSAGES", "600"))
"""How many messages are compared; `make lanes` has more."""
MALFORMED = int(os.environ.get("LANES_MALFORMED", "2000"))


async def answers(service: SessionService, lines: list[bytes]) -> list[dict[str, Any]]:
    """All that a client hears which sends these lines and says no more."""
    near, far = await pair()
    parts: list[bytes] = []
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks, near:

            async def serve() -> None:
                async with far:
                    await serve_stream(service, far, far, OWNER)

            async def send() -> None:
                await near.send(b"".join(line + b"\n" for line in lines))
                await near.send_eof()

            tasks.start_soon(serve)
            tasks.start_soon(send)
            parts = [part async for part in near]
    return [json.loads(line) for line in b"".join(parts).splitlines()]


def counted(found: list[dict[str, Any]]) -> Counter[str]:
    return Counter(json.dumps(each, sort_keys=True) for each in found)


class Counting(DirectAnswers):
    """Direct answers that are counted, or spoilt."""

    def __init__(self, shelf: Shelf, extra: bytes = b"") -> None:
        super().__init__(ToolCalls(toolbox(shelf)), "9.9")
        self.count = 0
        self._extra = extra

    def introduce(self, request: Request) -> bytes:
        self.count += 1
        return super().introduce(request).replace(b'"2.0"', b'"2.0"' + self._extra, 1)

    async def answer(
        self, request: Request, actor: Actor, progress: Progress = no_progress
    ) -> tuple[int, bytes]:
        self.count += 1
        return await super().answer(request, actor, progress)


async def differences(count: int, extra: bytes = b"") -> tuple[int, int, list[object]]:
    """How many were answered in all and how many directly, and what the lanes differ in."""
    total = direct = 0
    differ: list[object] = []
    for seed in range(count // LENGTH):
        lines = exchanges.session(random.Random(seed), LENGTH)
        shelf = Shelf()
        mine = Counting(shelf, extra)
        expected = await answers(sdk_alone(server_on(Shelf()), Shelf()), lines)
        found = await answers(replace(service_on(shelf), direct=mine), lines)
        total, direct = total + len(found), direct + mine.count
        missing, more = counted(expected) - counted(found), counted(found) - counted(expected)
        differ += [(seed, missing, more)] if missing or more else []
    return total, direct, differ


async def test_both_lanes_answer_every_line_alike() -> None:
    total, direct, differ = await differences(MESSAGES)
    assert not differ, differ[0]
    assert total / 3 < direct < total, (direct, total)


async def test_an_answer_that_differs_is_seen() -> None:
    assert (await differences(100, extra=b',"x":1'))[2]


async def test_malformed_messages_are_refused_one_by_one_and_the_session_lives() -> None:
    """Each line that asks for an answer gets one, with an error that says why."""
    rng = random.Random(7)
    opening = exchanges.dump(exchanges.request(0, "initialize", exchanges.HANDSHAKES[0]))
    message = exchanges.request(
        1, "tools/call", {"name": "read", "arguments": {"file_path": "who"}}
    )
    for start in range(0, MALFORMED, 200):
        lines = [exchanges.spoilt(rng, message) for _ in range(min(200, MALFORMED - start))]
        lines = [line.replace(b"\n", b" ") for line in lines if line.strip()]
        last = exchanges.dump(exchanges.request("last", "ping", {}))
        found = await answers(service_on(Shelf()), [opening, *lines, last])
        assert {"jsonrpc": "2.0", "id": "last", "result": {}} in found
        failed = [each["error"] for each in found if "error" in each]
        assert len(failed) > len(lines) / 4
        assert all(isinstance(each["code"], int) and each["message"] for each in failed)
        codes = {each["code"] for each in failed}
        assert codes <= {-32700, -32600, -32601, -32602, -32603}, codes


@pytest.mark.parametrize("direct", [True, False])
async def test_a_read_sees_the_edit_that_was_sent_before_it(direct: bool) -> None:
    shelf = Shelf()
    service = service_on(shelf) if direct else sdk_alone(server_on(shelf), shelf)
    change = {"file_path": "Garden/Clover.md", "old_string": "Clover", "new_string": "Oak"}
    lines = [
        exchanges.request(0, "initialize", exchanges.HANDSHAKES[0]),
        exchanges.request(1, "tools/call", {"name": "edit", "arguments": change}),
        exchanges.request(
            2, "tools/call", {"name": "read", "arguments": {"file_path": "Garden/Clover.md"}}
        ),
    ]
    found = await answers(service, [exchanges.dump(line) for line in lines])
    assert found[-1]["result"]["content"][0]["text"] == "# Oak\n"


def test_the_protocol_versions_are_those_of_the_sdk() -> None:
    assert introduction.HANDSHAKE_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert (introduction.MODERN_VERSION,) == version.MODERN_PROTOCOL_VERSIONS
