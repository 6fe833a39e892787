"""What the event loop tells of errors that nobody else could catch.

A reader of a Unix socket that is stopped just when something arrives leaves a callback behind that
resolves a future which is done already (anyio 4 on uvloop). Nothing is wrong then, but each time an
owner ends there would be traces in the log, which people take for a crash.
"""

import asyncio
from typing import Any


def ignore_late_readers() -> None:
    """Leave that one case out of the log, on the event loop that runs; all else is told."""
    asyncio.get_running_loop().set_exception_handler(_tell)


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    late = isinstance(context.get("exception"), asyncio.InvalidStateError)
    if not (late and "Future.set_result" in repr(context.get("handle"))):
        loop.default_exception_handler(context)
