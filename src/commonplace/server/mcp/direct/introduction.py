"""What the server says of itself: who it is, what it can do, which tools it has. Light to load.

The SDK's server says the same to whoever speaks to that; a test compares them field by field.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from commonplace.server.mcp.direct.instructions import instructions
from commonplace.server.mcp.direct.requests import HANDSHAKE_VERSIONS, MODERN_VERSION, Request
from commonplace.tools.definition import Definition

CACHE_MS = 60_000
NAME, TITLE = "commonplace", "Commonplace"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"

Json = dict[str, object]

_dense = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_CACHED: Json = {"ttlMs": CACHE_MS, "cacheScope": "private", "resultType": "complete"}
# The SDK's default for an answer that it was given no hint for: true at this moment only.
_NOT_CACHED: Json = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}


def written(value: object) -> bytes:
    """Write a value as JSON; a lone surrogate, which has no UTF-8, as its escape."""
    try:
        return _dense(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def response(id: str | int, result: bytes) -> bytes:
    """Write the answer to a request."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (written(id), result)


@cache
def icon() -> Json:
    """Return the picture by which a client shows who is speaking: PNG in a data URI."""
    picture = (Path(__file__).parent / "icon.png").read_bytes()
    source = "data:image/png;base64," + base64.b64encode(picture).decode("ascii")
    return {"src": source, "mimeType": "image/png", "sizes": ["48x48"]}


class Introduction:
    """What one server with these tools says of itself, in either protocol era."""

    def __init__(self, names: Sequence[str], version: str) -> None:
        self._instructions = instructions(names)
        self._info: Json = {"name": NAME, "title": TITLE, "version": version}
        self.stamp: Json = {SERVER_INFO_KEY: self._info}
        """What the `_meta` of every answer of the 2026 era names the server by."""

    def answer(self, request: Request) -> bytes:
        """Answer a request that needs no tools: who this is, and whether it is there."""
        match request.method:
            case "initialize":
                result = written(self._handshake(request.opening.version))
            case "server/discover":
                result = written(self._discovery())
            case _:
                result = b"{}"
        return response(request.id, result)

    def _handshake(self, asked: str) -> Json:
        return {
            "protocolVersion": asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": _capabilities(tools_change=False),
            "serverInfo": {**self._info, "icons": [icon()]},
            "instructions": self._instructions,
        }

    def _discovery(self) -> Json:
        return {
            **_NOT_CACHED,
            "supportedVersions": [MODERN_VERSION],
            "capabilities": _capabilities(tools_change=True),
            "instructions": self._instructions,
            "_meta": {SERVER_INFO_KEY: {**self._info, "icons": [icon()]}},
        }

    def listing(self, definitions: Sequence[Definition], *, modern: bool) -> Json:
        """Return the result of `tools/list`."""
        tools: list[Mapping[str, object]] = [each.published for each in definitions]
        if not modern:
            return {"tools": tools}
        return {**_CACHED, "tools": tools, "_meta": self.stamp}


def _capabilities(*, tools_change: bool) -> Json:
    return {
        "completions": {},
        "resources": {"listChanged": True, "subscribe": True},
        "tools": {"listChanged": tools_change},
    }
