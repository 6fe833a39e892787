"""Where monitors ask this process: an address of its own, beside that of the page."""

import socket

from commonplace.errors import BadArgument, Unavailable

_PORT_MAX = 65_535


def listening(text: str | None) -> socket.socket | None:
    """Listen at HOST:PORT; None if no place was named."""
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _PORT_MAX:
        raise BadArgument(f"--metrics: {text!r} is not HOST:PORT, like 127.0.0.1:9420.")
    host = host.removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, int(port)), family=family)
    except OSError as error:
        raise Unavailable(
            f"Cannot listen for monitors on {text} ({error.strerror}). Name an address of this"
            " machine, and a port that is free, with --metrics."
        ) from None
