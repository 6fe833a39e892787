"""Sessions as clients hold them, and as none does: made from what real ones sent, by chance."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

MODERN: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "mcp", "version": "0.1.0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
# As Claude Code, the inspector, and the SDKs of Python and TypeScript open a session.
HANDSHAKES: list[dict[str, Any]] = [
    {
        "protocolVersion": "2025-11-25",
        "capabilities": {"roots": {}, "elicitation": {}},
        "clientInfo": {"name": "claude-code", "title": "Claude Code", "version": "2.1.0"},
    },
    {
        "protocolVersion": "2025-06-18",
        "capabilities": {
            "sampling": {},
            "elicitation": {"form": {}, "url": {}},
            "roots": {"listChanged": True},
            "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}},
        },
        "clientInfo": {
            "name": "inspector-client",
            "version": "0.17.0",
            "description": "looks",
            "websiteUrl": "https://example.org",
        },
    },
    {
        "protocolVersion": "2024-11-05",
        "capabilities": {"experimental": {"x": {"y": 1}}},
        "clientInfo": {"name": "mcp", "version": "0.1.0"},
    },
    {
        "protocolVersion": "1999-01-01",
        "capabilities": {},
        "clientInfo": {"name": "\u200bodd\n name", "version": ""},
    },
]
ODD: list[Any] = [
    None, True, False, 0, -1, 7, 1.5, 10**20, "", "x", "7", "\ud800", "\x00", "2.0", "2026-07-28",
    "2025-11-25", [], [1], {}, {"a": 1}, {"name": "x"}, {"_meta": {}}, MODERN, "read", "tools/call",
]  # fmt: skip
PATHS = [
    "Garden/Bees.md",
    "Garden/Clover.md",
    "who",
    "slow",
    "meta",
    "bug",
    "no.md",
    "日記/あ 😀.md",
]


def call(rng: random.Random, calm: bool) -> tuple[str, dict[str, Any]]:
    name = rng.choice(["read", "glob"] if calm else ["read", "read", "glob", "edit", "nothing"])
    arguments: dict[str, Any] = {
        "read": {"file_path": rng.choice(PATHS)},
        "glob": {"pattern": rng.choice(["*", "Garden/*", "["])},
        "edit": {"file_path": "Garden/Bees.md", "old_string": "a", "new_string": "a"},
        "nothing": {},
    }[name]
    if rng.random() < 0.1:
        arguments[rng.choice(["offset", "limit", "other"])] = rng.choice(ODD)
    params: dict[str, Any] = {"name": name, "arguments": arguments}
    if rng.random() < 0.3:
        token = rng.choice([1, "t", 0, -5])
        params["_meta"] = {"progressToken": token, "claudecode/toolUseId": "toolu_1"}
    return "tools/call", params


def plain(rng: random.Random, calm: bool, modern: bool) -> tuple[str, dict[str, Any]]:
    known = ["tools/list", "server/discover" if modern else "ping"]
    others = ["ping", "server/discover", "resources/list", "prompts/list", "no/such"]
    odd = [] if calm else [{"cursor": "x"}]
    return rng.choice(known if calm else known + others), rng.choice([{}, {}, {"_meta": {}}, *odd])


def session(rng: random.Random, length: int) -> list[bytes]:
    """The lines of one session: opened in either era, or not at all; some of them broken.

    Half of the sessions are calm: only their last line may be one that no client sends.
    """
    modern, calm = rng.random() < 0.5, rng.random() < 0.5
    lines: list[Any] = []
    if not modern and (calm or rng.random() < 0.95):
        lines.append(request(0, "initialize", rng.choice(HANDSHAKES)))
        lines.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for number in range(1, length):
        called = rng.random() < 0.7
        method, params = call(rng, calm) if called else plain(rng, calm, modern)
        if modern != (not calm and rng.random() < 0.02):
            params = {**params, "_meta": {**MODERN, **params.get("_meta", {})}}
        ident = number if rng.random() < 0.8 else f"id-{number}"
        lines.append(request(ident, method, params))
    chances = [0.0] * (len(lines) - 1) + [0.5] if calm else [0.15] * len(lines)
    written = [
        spoilt(rng, line) if rng.random() < chance else dump(line)
        for line, chance in zip(lines, chances, strict=True)
    ]
    return [line.replace(b"\n", b" ") for line in written]


def request(ident: object, method: str, params: dict[str, Any]) -> dict[str, Any]:
    given = copy.deepcopy(params)
    message = {"jsonrpc": "2.0", "id": ident, "method": method}
    return {**message, "params": given} if given else message


def dump(value: object) -> bytes:
    return json.dumps(value).encode()


def spoilt(rng: random.Random, message: dict[str, Any]) -> bytes:
    """A message with something of it changed: a value, a member, or bytes of its text."""
    changed = copy.deepcopy(message)
    ways: list[Callable[[], bytes]] = [
        lambda: dump(change(rng, changed)),
        lambda: dump(change(rng, change(rng, changed))),
        lambda: dump(rng.choice(ODD)),
        lambda: cut(rng, dump(changed)),
        lambda: dump({**changed, rng.choice(["more", "result", "error"]): rng.choice(ODD)}),
    ]
    return rng.choice(ways)()


def change(rng: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    """Change, remove or add one member, at any depth."""
    objects: list[dict[str, Any]] = []

    def walk(value: object) -> None:
        if isinstance(value, dict):
            objects.append(value)  # pyright: ignore[reportUnknownArgumentType]
            for each in value.values():  # pyright: ignore[reportUnknownVariableType]
                walk(each)  # pyright: ignore[reportUnknownArgumentType]

    walk(message)
    chosen = rng.choice(objects)
    key = rng.choice([*chosen, "new"])
    if rng.random() < 0.3:
        chosen.pop(key, None)
    else:
        chosen[key] = copy.deepcopy(rng.choice(ODD))
    return message


def cut(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(len(line))
    return rng.choice(
        [line[:at], line[at:], line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]]
    )
