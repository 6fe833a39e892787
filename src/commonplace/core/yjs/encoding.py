"""The alphabet of Yjs: numbers, strings, and state vectors as bytes.

Everything read here may come from outside, so each count and length is bounded before it is
believed, and whatever does not fit raises `HostileUpdate`. Frames are in `frames`, updates in
`scan`.
"""

from collections.abc import Mapping

from commonplace.errors import BadArgument, Unavailable

NUMBER_MAX = 2**53 - 1  # what JavaScript counts exactly; client ids are that wide
_NUMBER_BYTES_MAX = 8
CLOCK_MAX = 2**31 - 1
CLIENTS_MAX = 100_000
NO_UPDATE = b"\0\0"


class HostileUpdate(BadArgument):
    """Bytes from outside are malformed, or would harm the document or its readers."""


class LargeUpdate(HostileUpdate):
    """An update holds more than is allowed here; more may be where it is tried first."""


class EarlyUpdate(Unavailable):
    """An update builds on edits that are not here.

    An honest client can send one, if another told it of edits that the server has yet to hear. It
    has them, so it need only connect again: what it then sends is complete.
    """


class ByteReader:
    """Reads one run of bytes from front to back and never past its end."""

    __slots__ = ("at", "data", "end")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.end = len(data)

    def byte(self) -> int:
        """Read one byte."""
        if self.at >= self.end:
            raise HostileUpdate("The message ends too early.")
        value = self.data[self.at]
        self.at += 1
        return value

    def varuint(self) -> int:
        """Read a number: seven bits a byte, lowest first."""
        at, end, data = self.at, self.end, self.data
        if at < end and (value := data[at]) < 0x80:
            self.at = at + 1
            return value
        value = shift = 0
        for byte in data[at : at + _NUMBER_BYTES_MAX]:
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 and value <= NUMBER_MAX:
                self.at = at + shift // 7
                return value
        if end - at < _NUMBER_BYTES_MAX:
            raise HostileUpdate("The message ends too early.")
        raise HostileUpdate("A number in the message is too big.")

    def take(self, count: int) -> bytes:
        """Read as many bytes."""
        start = self.at
        self.skip(count)
        return self.data[start : self.at]

    def skip(self, count: int) -> None:
        """Pass over as many bytes."""
        if count > self.end - self.at:
            raise HostileUpdate("The message ends too early.")
        self.at += count

    def var_bytes(self) -> bytes:
        """Read a length and as many bytes."""
        count = self.varuint()
        start = self.at
        self.at = stop = start + count
        if stop > self.end:
            raise HostileUpdate("The message ends too early.")
        return self.data[start:stop]

    def var_string(self) -> str:
        """Read a length and as many bytes of UTF-8."""
        try:
            return self.var_bytes().decode("utf-8")
        except UnicodeDecodeError:
            raise HostileUpdate("A string in the message is not UTF-8.") from None

    def count(self, limit: int) -> int:
        """Read how many things follow; each takes at least one byte."""
        value = self.varuint()
        if value > self.end - self.at:
            raise HostileUpdate("The message announces more than it holds.")
        if value > limit:
            raise LargeUpdate("The message holds more than is allowed.")
        return value

    def finish(self) -> None:
        """Expect the end."""
        if self.at != self.end:
            raise HostileUpdate("The message has bytes left over.")


def varuint(value: int) -> bytes:
    """Write a number."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def var_bytes(value: bytes) -> bytes:
    """Write bytes after their length."""
    return varuint(len(value)) + value


def var_string(value: str) -> bytes:
    """Write a string as UTF-8 after its length."""
    return var_bytes(value.encode("utf-8"))


def decode_state_vector(data: bytes, clients_max: int = CLIENTS_MAX) -> dict[int, int]:
    """Read how far each client's edits are known."""
    reader = ByteReader(data)
    known: dict[int, int] = {}
    for _ in range(reader.count(clients_max)):
        client = reader.varuint()
        known[client] = max(known.get(client, 0), read_clock(reader))
    reader.finish()
    return known


def read_clock(reader: ByteReader) -> int:
    """Read a clock, or a length measured in clocks."""
    clock = reader.varuint()
    if clock > CLOCK_MAX:
        raise HostileUpdate("A clock in the message is out of range.")
    return clock


def encode_state_vector(known: Mapping[int, int]) -> bytes:
    """Write how far each client's edits are known."""
    pairs = b"".join(varuint(client) + varuint(clock) for client, clock in known.items())
    return varuint(len(known)) + pairs
