"""Requests that need nothing of the SDK, told from all others by their form.

A request is taken here only if it has exactly the form that clients send: every other one, be it
rare, newer than this program or broken, is left to the SDK's server, which knows what to say. So a
mistake of this module can be that it takes too few. Reads plain JSON values; no I/O.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import cast

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"
CLIENT_NAME_CHARS_MAX = 64
ID_MAX = 2**53
OPENING_ID = "commonplace/opening"
"""The id under which the SDK is told how a session began; no client sees its answer."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

Json = Mapping[str, object]

_RESERVED = "io.modelcontextprotocol/"
_ENVELOPE = {VERSION_KEY, CLIENT_KEY, CAPABILITIES_KEY}
_REQUEST = {"jsonrpc", "id", "method", "params"}
_HANDSHAKE = {"protocolVersion", "capabilities", "clientInfo"}
_CLIENT = {"name", "version", "title", "description", "websiteUrl"}
_CAPABILITIES = {"roots", "sampling", "elicitation", "experimental", "extensions"}
_OPEN = {"experimental", "extensions"}
_CALL = {"name", "arguments", "_meta"}
_META = {"_meta"}
_NONE: dict[str, object] = {}


@dataclass(frozen=True, slots=True)
class Opening:
    """The first request of a stream: it decides the era, and in the older one who the client is."""

    modern: bool
    client: str
    version: str


@dataclass(frozen=True, slots=True)
class Request:
    """A request to be answered directly."""

    id: str | int
    method: str
    opening: Opening
    """What the stream was opened with; of a request of the newer era, its own envelope."""
    tool: str = ""
    arguments: Json = field(default_factory=dict[str, object])
    progress: str | int | None = None

    @property
    def needs_tools(self) -> bool:
        """Whether the vault has to be open for the answer."""
        return self.method in ("tools/call", "tools/list")


def client_name(name: str) -> str:
    """Return a client's own name, made fit to be shown: it may be anything at all."""
    return "".join(c for c in name[:CLIENT_NAME_CHARS_MAX] if c.isprintable()).strip()


def recognize(message: object, opening: Opening | None, tools: Collection[str]) -> Request | None:
    """Return the request if it can be answered directly, on a stream that was opened so or is new.

    `tools` are those that may be called so.
    """
    given = _members(message)
    params = None if given is None else _members(given.get("params", _NONE))
    if given is None or params is None or not _is_request(given):
        return None
    ident, method = cast("str | int", given["id"]), cast("str", given["method"])
    if method == "initialize":
        asked = None if opening else _handshake(params)
        return Request(ident, method, asked) if asked else None
    meta = _members(params.get("_meta", _NONE))
    said = None if meta is None else _envelope(meta, opening)
    if meta is None or said is None:
        return None
    if method == "tools/call":
        return _call(Request(ident, method, said), params, meta.get("progressToken"), tools)
    answered = "tools/list", "server/discover" if said.modern else "ping"
    return Request(ident, method, said) if method in answered and params.keys() <= _META else None


def _is_request(message: Json) -> bool:
    plain = message.keys() <= _REQUEST and message.get("jsonrpc") == "2.0"
    return plain and _is_id(message.get("id")) and isinstance(message.get("method"), str)


def _call(
    request: Request, params: Json, progress: object, tools: Collection[str]
) -> Request | None:
    name, arguments = params.get("name"), _members(params.get("arguments", _NONE))
    if not isinstance(name, str) or name not in tools or arguments is None:
        return None
    if not params.keys() <= _CALL or not (progress is None or _is_id(progress)):
        return None
    token = cast("str | int | None", progress)
    return Request(request.id, request.method, request.opening, name, arguments, token)


def _handshake(params: Json) -> Opening | None:
    version, client = params.get("protocolVersion"), params.get("clientInfo")
    if set(params) != _HANDSHAKE or not isinstance(version, str) or not _is_client(client):
        return None
    if not _are_capabilities(params.get("capabilities")):
        return None
    return Opening(False, client_name(cast("dict[str, str]", client)["name"]), version)


def _envelope(meta: dict[str, object], opening: Opening | None) -> Opening | None:
    """Return what a request was opened with, if its era is that of the stream."""
    reserved = {key for key in meta if key.startswith(_RESERVED)}
    if not reserved:
        return opening if opening is not None and not opening.modern else None
    if (opening is not None and not opening.modern) or not reserved <= _ENVELOPE:
        return None
    client = meta.get(CLIENT_KEY)
    named = CLIENT_KEY not in meta or _is_client(client)
    if meta.get(VERSION_KEY) != MODERN_VERSION or not named:
        return None
    if not _are_capabilities(meta.get(CAPABILITIES_KEY)):
        return None
    name = cast("dict[str, str]", client)["name"] if client else ""
    return Opening(True, client_name(name), MODERN_VERSION)


def _members(value: object) -> dict[str, object] | None:
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def _is_id(value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < ID_MAX
    return whole or isinstance(value, str)


def _is_client(value: object) -> bool:
    client = _members(value)
    if client is None or not {"name", "version"} <= client.keys() <= _CLIENT:
        return False
    return all(isinstance(each, str) for each in client.values())


def _are_capabilities(value: object) -> bool:
    given = _members(value)
    if given is None or not given.keys() <= _CAPABILITIES:
        return False
    return all(_is_capability(name, each) for name, each in given.items())


def _is_capability(name: str, value: object) -> bool:
    """Tell whether all parts of a capability are objects, but for the one flag that there is."""
    parts = _members(value)
    if parts is None:
        return False
    if name == "roots":
        return all(k == "listChanged" and isinstance(v, bool) for k, v in parts.items())
    return all(isinstance(part, dict) and (name in _OPEN or not part) for part in parts.values())


def replayed_opening(message: Json) -> dict[str, object]:
    """Return a request that opens a session of the SDK as this one opened the client's."""
    if message["method"] == "initialize":
        return {**message, "id": OPENING_ID}
    params = {"_meta": cast("Json", message["params"])["_meta"]}
    return {**message, "id": OPENING_ID, "method": "server/discover", "params": params}
