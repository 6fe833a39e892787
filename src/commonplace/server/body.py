"""What a request carries, JSON and numbers, read and checked in one place.

What gets through holds no NUL, no lone surrogate, no number that is not finite, and only so much
nesting: half an emoji has no UTF-8, and whatever must write it down would fail.
"""

import json
from collections.abc import Mapping
from typing import cast

from starlette.requests import Request

from commonplace.core.plain_data import NESTING_MAX, flaw_in
from commonplace.errors import BadArgument

_NUMBER_MAX = 10**15 - 1

Body = Mapping[str, object]


async def body_of(request: Request, empty: bytes = b"") -> Body:
    """Return the JSON object that a request carries; `empty` stands for no body at all."""
    return parse_object(await request.body() or empty)


async def bytes_of(request: Request, most: int) -> bytes:
    """Return the body of a request that is a file, if it is no longer than that."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > most:
            raise BadArgument(f"A file can have at most {most // 1_000_000} MB here.")
    return bytes(data)


def parse_object(data: bytes) -> Body:
    """Read a JSON object; `BadArgument` says what is wrong with one that no route should meet."""
    try:
        value: object = json.loads(data)
    except RecursionError:
        why = f"The body's JSON is nested more than {NESTING_MAX} levels deep."
        raise BadArgument(why) from None
    except ValueError:
        raise BadArgument("The body must be JSON.") from None
    if not isinstance(value, dict):
        raise BadArgument("The body must be a JSON object.")
    body = cast("Body", value)
    for name, member in body.items():
        if flaw := flaw_in([name, member]):
            raise BadArgument(f"The body's JSON {flaw}")
    return body


def whole_number(given: str, name: str, *, least: int = 0, most: int = _NUMBER_MAX) -> int:
    """Read a whole number within bounds, as it stands in an address."""
    fits = given.isascii() and given.isdigit() and len(given) <= len(str(most))
    if not fits or not least <= int(given) <= most:
        raise BadArgument(f"{name} must be a whole number from {least} to {most}.")
    return int(given)


def texts_of(body: Body, name: str, most: int) -> list[str]:
    """Return a list of texts, of at most so many; none if the body has none."""
    given = body.get(name, [])
    listed = cast("list[object]", given) if isinstance(given, list) else [None]
    if len(listed) > most or not all(isinstance(one, str) for one in listed):
        raise BadArgument(f"{name} must be a list of at most {most} texts.")
    return cast("list[str]", listed)
