"""Who is present in one room: what each client shows of itself, and which connection said so.

Yjs clients pass on whatever they hear of each other, so most of what arrives is old news. A
presence belongs to the connection that first told of it: no other may change or end it, and it
ends with that connection. A client whose presence ended while it was still there says so itself,
and then it belongs to the connection that brought that word.

Clients believe only what comes with a higher clock than they know, and they remember clocks longer
than presences: one who was away for a moment would not see who stayed. So the clock that is told
may run ahead of the one that was heard: it is raised for each newcomer and for each return. The
client itself takes it over when it next hears of itself.
"""

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from commonplace.core.yjs.frames import PRESENCES_MAX, Presence

OWNED_MAX = 32
PRESENCE_BYTES_MAX = 1024 * 1024
PRESENCE_CLOCK_MAX = (
    2**30
)  # leaves room to count on: clients pass on what they are told, and are checked
PERSON_NAME_CHARS_MAX = 64

_COLOURS = ("#0b7285", "#2b8a3e", "#5f3dc4", "#862e9c", "#a61e4d", "#c92a2a", "#d9480f", "#364fc7")
_LIGHT = "33"  # the same colour, nearly transparent
_STATE_OF_WHO_LEFT = "null"


@dataclass(frozen=True, slots=True)
class _ShownPresence:
    told: Presence
    heard: int
    owner: object


class Presences:
    """The presences of one room."""

    def __init__(self) -> None:
        self._shown: dict[int, _ShownPresence] = {}
        self._owned: dict[object, set[int]] = {}
        self._left: dict[int, int] = {}
        self._bytes = 0

    def all(self) -> list[Presence]:
        """List who is present, as they were last told of."""
        return [shown.told for shown in self._shown.values()]

    def welcome(self) -> list[Presence]:
        """List who is present for somebody who may have known them before."""
        for client, shown in self._shown.items():
            told = replace(shown.told, clock=shown.told.clock + 1)
            self._shown[client] = replace(shown, told=told)
        return self.all()

    def history(self) -> list[Presence]:
        """List who is present and who left: all that somebody who missed some of it needs."""
        left = [Presence(client, clock, _STATE_OF_WHO_LEFT) for client, clock in self._left.items()]
        return left + self.all()

    def take(self, owner: object, told: Iterable[Presence]) -> list[Presence]:
        """Take in what a connection tells; answers what is new in it, for everybody to hear."""
        heard = [self._take(owner, presence) for presence in told]
        return [presence for presence in heard if presence is not None]

    def owns(self, owner: object, client: int) -> bool:
        """Tell whether a presence belongs to a connection."""
        return client in self._owned.get(owner, ())

    def drop(self, owner: object) -> list[Presence]:
        """End all presences of a connection; answers those ends, for everybody to hear."""
        clients = tuple(self._owned.get(owner, ()))
        return [self._end(client, self._shown[client].told.clock + 1) for client in clients]

    def _take(self, owner: object, new: Presence) -> Presence | None:
        shown = self._shown.get(new.client)
        if new.clock > PRESENCE_CLOCK_MAX:
            return None
        if shown is None:
            return None if new.gone else self._begin(owner, new)
        if shown.owner is not owner or new.clock <= shown.heard:
            return None
        if new.gone:
            return self._end(new.client, max(new.clock, shown.told.clock + 1))
        if new == shown.told:  # it has taken over the clock it was told of
            self._shown[new.client] = replace(shown, heard=new.clock)
            return None
        return self._show(owner, new, max(new.clock, shown.told.clock + 1))

    def _begin(self, owner: object, new: Presence) -> Presence | None:
        """Show somebody who was not here."""
        owned = self._owned.get(owner, ())
        clock = max(new.clock, self._left.get(new.client, -1) + 1)
        if owned and clock > new.clock:
            return None  # passed on by another who has not heard yet that this one left
        if len(owned) >= OWNED_MAX or len(self._shown) >= PRESENCES_MAX:
            return None
        return self._show(owner, new, clock)

    def _show(self, owner: object, new: Presence, clock: int) -> Presence | None:
        before = self._shown.get(new.client)
        size = self._bytes + len(new.state) - (len(before.told.state) if before else 0)
        if size > PRESENCE_BYTES_MAX:
            return None
        self._bytes = size
        told = replace(new, clock=clock)
        self._shown[new.client] = _ShownPresence(told, new.clock, owner)
        self._owned.setdefault(owner, set()).add(new.client)
        self._left.pop(new.client, None)
        return told

    def _end(self, client: int, clock: int) -> Presence:
        shown = self._shown.pop(client)
        self._bytes -= len(shown.told.state)
        owned = self._owned[shown.owner]
        owned.discard(client)
        if not owned:
            del self._owned[shown.owner]
        self._left[client] = clock
        if len(self._left) > PRESENCES_MAX:
            del self._left[next(iter(self._left))]
        return Presence(client, clock, _STATE_OF_WHO_LEFT)


def name_in(told: Presence) -> str:
    """Return the name that a client shows of itself; nothing if it shows none."""
    try:
        state = json.loads(told.state)
    except (ValueError, RecursionError):
        return ""
    user = cast("dict[str, object]", state).get("user") if isinstance(state, dict) else None
    name = cast("dict[str, object]", user).get("name") if isinstance(user, dict) else None
    return _printable(name) if isinstance(name, str) else ""


def _printable(name: str) -> str:
    return "".join(c for c in name[:PERSON_NAME_CHARS_MAX] if c.isprintable()).strip()


def signed(told: Iterable[Presence], name: str) -> list[Presence]:
    """Return presences under the name of the access token that they came with, whatever they claim.

    One whose state is no JSON object claims nothing that could be held against it: it is left out.
    """
    return [held for each in told if (held := _signed(each, name)) is not None]


def _signed(told: Presence, name: str) -> Presence | None:
    if told.gone:
        return told
    try:
        state = json.loads(told.state)
    except (ValueError, RecursionError):
        return None
    if not isinstance(state, dict):
        return None
    claims = cast("dict[str, object]", state)
    user = claims.get("user")
    who = cast("dict[str, object]", user) if isinstance(user, dict) else {}
    named = {"name": name} if "name" in claims else {}
    shown = {**claims, **named, "user": {**who, "name": name}}
    return replace(told, state=json.dumps(shown, ensure_ascii=False))


def assistant(name: str, cursor: Mapping[str, object] | None = None) -> str:
    """Write what an assistant shows of itself, in the words of y-codemirror."""
    name = _printable(name) or "assistant"
    colour = _COLOURS[zlib.crc32(name.encode(errors="replace")) % len(_COLOURS)]
    user = {"name": name, "color": colour, "colorLight": colour + _LIGHT, "kind": "assistant"}
    state: dict[str, object] = {"user": user}
    if cursor is not None:
        state["cursor"] = dict(cursor)
    return json.dumps(state)
