"""Many clients of a server over HTTP, each with one request at a time on a connection it keeps."""

import asyncio
import json
import time
from collections.abc import Sequence

CLIENTS = 32
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(path: str, port: int) -> bytes:
    params = {"name": "read", "arguments": {"file_path": path}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    body = json.dumps(message).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n"
        f"mcp-method: tools/call\r\nmcp-name: read\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def client(port: int, requests: Sequence[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for each in requests:
        writer.write(each)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head
        lengths = [row for row in head.lower().split(b"\r\n") if row.startswith(b"content-length:")]
        body = await reader.readexactly(int(lengths[0].partition(b":")[2]))
        assert b'"isError":false' in body, body
    writer.close()


def calls_a_second(url: str, paths: Sequence[str], rounds: int) -> float:
    """How many `tools/call` of the 2026 era a server answers in a second."""
    port = int(url.rpartition(":")[2])
    requests = [request(path, port) for path in paths]

    async def run() -> float:
        start = time.perf_counter()
        each = [requests[n::CLIENTS] * rounds for n in range(CLIENTS)]
        await asyncio.gather(*(client(port, some) for some in each))
        return len(requests) * rounds / (time.perf_counter() - start)

    return asyncio.run(run())
