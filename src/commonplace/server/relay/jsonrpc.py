"""JSON-RPC messages as plain objects, for the relay: light, and nothing it reads can fail it."""

import json
import re
from typing import cast

JsonRpcMessage = dict[str, object]

# An answer as the owner writes it: its id comes first, in a form that `json` would not change.
_ANSWER = re.compile(rb'\{"jsonrpc":"2\.0","id":(0|[1-9][0-9]{0,15}|"[ !#-\[\]-~]*"),"result":')


def parsed(line: bytes) -> JsonRpcMessage:
    """Read a message; what is none comes out empty."""
    try:
        return members(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def written(message: JsonRpcMessage) -> bytes:
    """Write a message as one line, without its end."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def members(value: object) -> JsonRpcMessage:
    """Give an object's members; anything else has none."""
    return cast("JsonRpcMessage", value) if isinstance(value, dict) else {}


def params_of(message: JsonRpcMessage) -> JsonRpcMessage:
    """Give the parameters of a request or notification."""
    return members(message.get("params"))


def id_key(ident: object) -> str:
    """Tell 1 from "1": ids are compared as JSON."""
    return json.dumps(ident)


def answered_key(line: bytes) -> str | None:
    """Return the key of the request that a line answers, if it can be told without reading it."""
    found = _ANSWER.match(line)
    return found[1].decode() if found else None
