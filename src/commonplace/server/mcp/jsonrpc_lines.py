"""JSON-RPC messages as lines of bytes. No line, however broken, stops the ones after it.

Text is parsed by `json`, not by pydantic: that refuses a lone surrogate anywhere in a message, and
then nobody could tell the client which argument holds it.
"""

import json
from dataclasses import dataclass
from typing import cast

import mcp_types as types
from mcp_types.jsonrpc import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from commonplace.server.owner.line_buffer import MESSAGE_BYTES_MAX, TooLong


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that does not reach the server, and what its sender is told."""

    reply: types.JSONRPCError


def decoded(line: bytes | TooLong) -> JSONRPCMessage | Refused:
    """Read a message, or say what is wrong with it."""
    if isinstance(line, TooLong):
        number = json.loads(line.request or b"null")
        return refused(
            number, types.INVALID_REQUEST, f"A line holds at most {MESSAGE_BYTES_MAX} bytes."
        )
    try:
        value: object = json.loads(line.decode())
    except (ValueError, RecursionError):
        return refused(None, types.PARSE_ERROR, "Parse error: one JSON object a line, in UTF-8.")
    try:
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        text = "Invalid request: not a JSON-RPC 2.0 message."
        return refused(_id_of(value), types.INVALID_REQUEST, text)


def encoded(message: JSONRPCMessage) -> bytes:
    """Write a message as a line, without its end."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except PydanticSerializationError:
        # A lone surrogate, echoed from a request, has no UTF-8; the escapes of `json` can say it.
        text = json.dumps(message.model_dump(by_alias=True, exclude_unset=True))
    return text.encode()


def refused(number: str | int | None, code: int, text: str) -> Refused:
    """Refuse the message of that id; None when it has none that could be read."""
    error = types.ErrorData(code=code, message=text)
    return Refused(types.JSONRPCError(jsonrpc="2.0", id=number, error=error))


def _id_of(value: object) -> str | int | None:
    if not isinstance(value, dict):
        return None
    number = cast("dict[str, object]", value).get("id")
    printable = isinstance(number, str) and number.isprintable()
    integer = isinstance(number, int) and not isinstance(number, bool)
    return cast("str | int", number) if printable or integer else None
