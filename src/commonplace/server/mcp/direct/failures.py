"""Which failures of a request a client may see, and as what: codes of JSON-RPC, and a text."""

import logging

from commonplace.errors import BadArgument, CommonplaceError, NotFound

INVALID_REQUEST, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32602, -32603
CONNECTION_CLOSED = -32000

logger = logging.getLogger(__name__)


def failure_of(error: Exception, method: str) -> tuple[int, str]:
    """Return the code and the text that a client gets to see; a bug goes to the log instead."""
    match error:
        case BadArgument() | NotFound():
            return INVALID_PARAMS, str(error)
        case CommonplaceError():
            return INTERNAL_ERROR, str(error)
        case UnicodeEncodeError():
            half = "A parameter holds half of a surrogate pair, which is not text."
            return INVALID_PARAMS, f"{half} Send valid Unicode."
        case _:
            logger.error("request %s failed", method, exc_info=error)
            return INTERNAL_ERROR, "Internal error; the server's log has the details."
