"""What travels on a Yjs socket: the frames of y-websocket, y-sweet's one, and awareness.

One frame holds one message. Awareness is checked down to its JSON, since the other clients parse
it unguarded.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from commonplace.core.yjs.encoding import (
    ByteReader,
    HostileUpdate,
    read_clock,
    var_bytes,
    var_string,
    varuint,
)

PRESENCES_MAX = 1_000
PRESENCE_MAX = 16 * 1024


class FrameKind(IntEnum):
    """The first number of a frame."""

    SYNC = 0
    AWARENESS = 1
    AUTH = 2
    QUERY_AWARENESS = 3
    SYNC_STATUS = 102


@dataclass(frozen=True, slots=True)
class SyncStep1:
    """Asks for whatever the sender's state vector lacks."""

    state_vector: bytes


@dataclass(frozen=True, slots=True)
class SyncStep2:
    """Answers a `SyncStep1`."""

    update: bytes


@dataclass(frozen=True, slots=True)
class UpdateFrame:
    """Tells of an edit as it happens."""

    update: bytes


@dataclass(frozen=True, slots=True)
class Awareness:
    """Presence of one or more clients; `decode_awareness` reads the payload."""

    payload: bytes


@dataclass(frozen=True, slots=True)
class DeniedFrame:
    """Says why the other side may not go on."""

    reason: str


@dataclass(frozen=True, slots=True)
class QueryAwareness:
    """Asks who is present."""


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """y-sweet's question whether all is saved; sent back as it came once it is."""

    payload: bytes


@dataclass(frozen=True, slots=True)
class Unknown:
    """A frame of some other protocol, which a y-websocket server passes over."""

    kind: int


Message = (
    SyncStep1
    | SyncStep2
    | UpdateFrame
    | Awareness
    | DeniedFrame
    | QueryAwareness
    | SyncStatus
    | Unknown
)
_SYNC = (SyncStep1, SyncStep2, UpdateFrame)
_FREQUENT = {bytes((FrameKind.SYNC, step)): kind for step, kind in enumerate(_SYNC)}


def decode(frame: bytes) -> Message:
    """Read one frame."""
    reader = ByteReader(frame)
    if (kind := _FREQUENT.get(frame[:2])) is not None:
        reader.at = 2
        message = kind(reader.var_bytes())
        reader.finish()
        return message
    message = _message(reader)
    if not isinstance(message, Unknown):
        reader.finish()
    return message


def _message(reader: ByteReader) -> Message:
    match reader.varuint():
        case FrameKind.SYNC:
            step = reader.varuint()
            if step >= len(_SYNC):
                raise HostileUpdate("The message names a sync step that does not exist.")
            return _SYNC[step](reader.var_bytes())
        case FrameKind.AWARENESS:
            return Awareness(reader.var_bytes())
        case FrameKind.AUTH:
            reader.varuint()
            return DeniedFrame(reader.var_string())
        case FrameKind.QUERY_AWARENESS:
            return QueryAwareness()
        case FrameKind.SYNC_STATUS:
            return SyncStatus(reader.var_bytes())
        case other:
            return Unknown(other)


def encode(message: Message) -> bytes:
    """Write one frame."""
    match message:
        case SyncStep1(payload):
            return b"\0\0" + var_bytes(payload)
        case SyncStep2(payload):
            return b"\0\1" + var_bytes(payload)
        case UpdateFrame(payload):
            return b"\0\2" + var_bytes(payload)
        case Awareness(payload):
            return bytes((FrameKind.AWARENESS,)) + var_bytes(payload)
        case DeniedFrame(reason):
            return bytes((FrameKind.AUTH, 0)) + var_string(reason)
        case QueryAwareness():
            return bytes((FrameKind.QUERY_AWARENESS,))
        case SyncStatus(payload):
            return bytes((FrameKind.SYNC_STATUS,)) + var_bytes(payload)
        case Unknown(kind):
            return varuint(kind)


@dataclass(frozen=True, slots=True)
class Presence:
    """What one client shows of itself: JSON, and `null` once it is gone."""

    client: int
    clock: int
    state: str

    @property
    def gone(self) -> bool:
        """Whether the client took its leave."""
        return self.state == "null"


def decode_awareness(payload: bytes) -> list[Presence]:
    """Read presences; their JSON is checked, since other clients parse it unguarded."""
    reader = ByteReader(payload)
    found: list[Presence] = []
    for _ in range(reader.count(PRESENCES_MAX)):
        client, clock, state = reader.varuint(), read_clock(reader), reader.var_string()
        _check_json(state)
        found.append(Presence(client, clock, state))
    reader.finish()
    return found


def encode_awareness(presences: Iterable[Presence]) -> bytes:
    """Write presences."""
    parts = [varuint(one.client) + varuint(one.clock) + var_string(one.state) for one in presences]
    return varuint(len(parts)) + b"".join(parts)


def _check_json(text: str) -> None:
    if len(text) > PRESENCE_MAX:
        raise HostileUpdate("A presence is too big.")
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise HostileUpdate("A presence is not JSON.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)  # Python reads NaN and Infinity, JavaScript does not
