"""The head of a request to a node with several vaults: which of them it is for.

A vault is at `/v/NAME/`; what it is asked there is what it would be asked at `/` if it were the
only one. A connection carries one request, or one socket: the next may be for another vault, which
another node may have, so the head that is passed on asks to close afterwards.
"""

import re
from dataclasses import dataclass

from commonplace.errors import BadArgument, NotFound

HEAD_MAX = 64 * 1024
PLACE = "/v/"

_REQUEST = re.compile(rb"([A-Z]{1,20}) (/[!-~]{0,32000}) (HTTP/1\.[01])")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)")
_TARGET = re.compile(rb"/v/([a-z0-9_-]{1,50})(/[^?]*)?(\?.*)?", re.DOTALL)
_OF_CONNECTION = (b"connection", b"keep-alive", b"proxy-connection")
_NOT_HTTP = "That is no request of HTTP/1.1."
_NO_VAULT = f"There is no vault at this address. Each is at {PLACE}NAME/."


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request's head: its method, what it asks for, its version and its fields."""

    method: bytes
    target: bytes
    version: bytes
    fields: tuple[tuple[bytes, bytes], ...]

    @property
    def path(self) -> str:
        """What it asks for, without the question."""
        return self.target.partition(b"?")[0].decode("ascii")

    def for_vault(self, default: str) -> tuple[str, str, "RequestHead"]:
        """Find the vault, the prefix of its addresses, and the head as that vault is to read it.

        What is below no vault's place is for the one that is at `/`, if there is one. An empty
        path in the head that comes back means that the slash after the name is missing.
        """
        found = _TARGET.fullmatch(self.target)
        if found is None:
            if not default or self.path.startswith(PLACE):
                raise NotFound(_NO_VAULT)
            return default, "", self
        name = found[1].decode("ascii")
        target = (found[2] or b"") + (found[3] or b"")
        return name, f"{PLACE}{name}", RequestHead(self.method, target, self.version, self.fields)

    def written(self) -> bytes:
        """Write it as the only request of its connection, unless that becomes a socket."""
        socket = any(name.lower() == b"upgrade" for name, _ in self.fields)
        fields = [pair for pair in self.fields if socket or pair[0].lower() not in _OF_CONNECTION]
        if not socket:
            fields.append((b"Connection", b" close"))
        lines = [b" ".join((self.method, self.target, self.version))]
        lines += [name + b":" + value for name, value in fields]
        return b"\r\n".join(lines) + b"\r\n\r\n"


def parse_head(data: bytes) -> RequestHead:
    """Read a head, without the empty line at its end; raises `BadArgument` if it is none.

    Strict: what two servers could read in two ways must not be passed on.
    """
    first, *lines = data.split(b"\r\n")
    request = _REQUEST.fullmatch(first)
    fields = [_FIELD.fullmatch(line) for line in lines]
    if request is None or None in fields:
        raise BadArgument(_NOT_HTTP)
    pairs = tuple((field[1], field[2]) for field in fields if field is not None)
    return RequestHead(request[1], request[2], request[3], pairs)
