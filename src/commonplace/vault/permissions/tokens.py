"""Access tokens: who may use the vault, or a part of it, from elsewhere, how far, and until when.

A secret is shown once, when it is made; what is kept is its SHA-256 (256 random bits need no salt).
It carries the token's id, so one digest is compared, in constant time, for any secret at all. A
token that was revoked or has expired stays in the list, for people to see, and lets nobody in.
"""

import hashlib
import json
import secrets
import time
from asyncio import get_running_loop
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from typing import Any

from commonplace.core.scopes import HOLDER_PREFIX, SCOPES, Scope
from commonplace.core.view import View
from commonplace.errors import BadArgument, Conflict, NotFound, Unavailable
from commonplace.vault.log.log import Log

ACCESS_PREFIX = "cp_"
NAME_CHARS_MAX = 64
SECRET_CHARS_MAX = 200
TOKENS_MAX = 1_000
USED_SECONDS = 3_600.0
"""How coarse the time of last use is."""

_KIND = "token"
_ID_BYTES = 4
_SECRET_BYTES = 32
_NOBODY = "0" * 64
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.0}
_COUNT_DIGITS_MAX = 5


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret; times in seconds since 1970."""

    id: str
    name: str
    scope: Scope
    created: float
    expires: float | None = None
    used: float | None = None
    revoked: float | None = None
    folders: tuple[str, ...] = ()
    digest: str = field(default=_NOBODY, repr=False)

    @staticmethod
    def read(row: Mapping[str, Any]) -> "Token":
        """Make a token of what was kept or sent as JSON."""
        folders: list[str] = row.get("folders", [])
        return replace(Token(**row), folders=tuple(folders))

    @property
    def actor(self) -> str:
        """Who its holder is, in every record."""
        return f"{HOLDER_PREFIX}{self.id}"

    @property
    def view(self) -> View:
        """The part of the vault that its holder sees."""
        return View(self.folders)

    def state(self, now: float) -> str:
        """Say in a word whether it lets anybody in."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "valid"


class Tokens:
    """All tokens of a vault, kept in the log and mirrored in memory."""

    def __init__(self, log: Log, clock: Callable[[], float] = time.time) -> None:
        self._log = log
        self._clock = clock
        self._tokens: dict[str, Token] = {}
        self._watchers: dict[str, list[Callable[[], None]]] = {}

    async def load(self) -> None:
        """Read what earlier runs made."""
        kept = await self._log.records(_KIND)
        found = [Token.read(json.loads(value)) for value in kept.values()]
        self._tokens = {token.id: token for token in sorted(found, key=lambda one: one.created)}

    @property
    def any(self) -> bool:
        """Whether there is a token that lets somebody in."""
        return any(self.get(id) for id in self._tokens)

    def listed(self) -> list[Token]:
        """List all, oldest first."""
        return list(self._tokens.values())

    def get(self, id: str) -> Token | None:
        """Return the token of that id, if it lets anybody in."""
        token = self._tokens.get(id)
        return token if token and token.state(self._clock()) == "valid" else None

    async def create(
        self,
        name: str,
        scope: Scope = "suggest",
        expires: float | None = None,
        folders: Iterable[str] = (),
    ) -> tuple[Token, str]:
        """Make a token, for some folders or all; returns it with its secret.

        Nobody can find that out later.
        """
        name = self._free(name)
        if scope not in SCOPES:
            raise BadArgument(f"{scope!r} is no scope. Choose from: {', '.join(SCOPES)}.")
        view = View.of(folders)
        if view.limited and scope == "approve":
            raise BadArgument(
                "A token that is limited to folders cannot approve: what is asked may concern"
                " others. Choose read, suggest or write, or no folder."
            )
        await self._make_room()
        id = secrets.token_hex(_ID_BYTES)
        if id in self._tokens:
            return await self.create(name, scope, expires, view.folders)
        secret = _secret(id)
        token = Token(
            id, name, scope, self._clock(), expires, folders=view.folders, digest=_digest(secret)
        )
        await self._keep(token)
        return token, secret

    async def renew(self, id: str, name: str, expires: float) -> tuple[Token, str]:
        """Give a token another secret, name and end; whoever came in with the one before goes.

        Raises:
            NotFound: there is none, or it was revoked.

        """
        token = self._tokens.get(id)
        if token is None or token.revoked is not None:
            raise NotFound(f"There is no token {id[:20]!r} to renew. See `commonplace token list`.")
        secret, name = _secret(id), self._free(name, id)
        token = replace(token, name=name, expires=expires, digest=_digest(secret))
        self._send_away(token)
        await self._keep(token)
        return token, secret

    async def verify(self, secret: str) -> Token | None:
        """Return the token that a secret belongs to, if it lets anybody in."""
        id = secret[len(ACCESS_PREFIX) :].partition("_")[0]
        token = self.get(id)
        wanted = token.digest if token else _NOBODY
        if not compare_digest(_digest(secret[:SECRET_CHARS_MAX]), wanted) or token is None:
            return None
        now = self._clock()
        if token.used is None or now - token.used >= USED_SECONDS:
            self._tokens[id] = token = replace(token, used=now)
            with suppress(Unavailable):  # that it was used is kept next time
                await self._keep(token)
        return self.get(id)

    async def revoke(self, id: str) -> Token:
        """Let nobody in with a token any more; whoever is in is sent away."""
        token = self._tokens.get(id.removeprefix(ACCESS_PREFIX))
        if token is None:
            raise NotFound(f"There is no token {id[:20]!r}. See `commonplace token list`.")
        if token.revoked is None:
            token = self._tokens[token.id] = replace(token, revoked=self._clock())
        self._send_away(token)
        await self._keep(token)  # if that fails, nobody is let in all the same until a restart
        return token

    def seconds_left(self, token: Token) -> float | None:
        """Say for how long a token holds; None for ever."""
        return None if token.expires is None else token.expires - self._clock()

    @contextmanager
    def watch(self, token: Token, stop: Callable[[], None]) -> Generator[None]:
        """Call `stop` if the token is revoked or expires meanwhile."""
        watchers = self._watchers.setdefault(token.id, [])
        watchers.append(stop)
        left = self.seconds_left(token)
        timer = None if left is None else get_running_loop().call_later(left, stop)
        try:
            yield
        finally:
            watchers.remove(stop)
            if timer is not None:
                timer.cancel()

    def _send_away(self, token: Token) -> None:
        for stop in tuple(self._watchers.get(token.id, ())):
            stop()

    def _free(self, name: str, but: str = "") -> str:
        """Check a name; it stands for its holder in policies and records, so it is given once."""
        name = name.strip()
        if not name or len(name) > NAME_CHARS_MAX or not name.isprintable():
            raise BadArgument(f"A token's name has 1 to {NAME_CHARS_MAX} printable characters.")
        for other in self._tokens.values():
            taken = other.name.casefold() == name.casefold() and other.id != but
            if taken and self.get(other.id):
                raise Conflict(
                    f"There is a token named {other.name!r} already. Choose another name, or"
                    f" revoke that one: commonplace token revoke {other.id}"
                )
        return name

    async def _make_room(self) -> None:
        if len(self._tokens) < TOKENS_MAX:
            return
        dead = next((id for id in self._tokens if self.get(id) is None), None)
        if dead is None:
            raise Unavailable(f"There are {TOKENS_MAX} tokens already. Revoke some.")
        del self._tokens[dead]
        await self._log.put_record(_KIND, dead, None)

    async def _keep(self, token: Token) -> None:
        await self._log.put_record(_KIND, token.id, json.dumps(asdict(token)))
        self._tokens[token.id] = token


def expiry(text: str, now: float) -> float | None:
    """Read when a token shall end: `12h`, `30d`, `2w`, `1y`, a date (that day still holds, UTC)."""
    if text == "never":
        return None
    count, unit = text[:-1], text[-1:]
    if count.isascii() and count.isdigit() and len(count) <= _COUNT_DIGITS_MAX and unit in _DAYS:
        when = now + int(count) * _DAYS[unit] * 86_400
    else:
        when = _end_of_day(text)
    if when <= now:
        raise BadArgument(f"{text} is not in the future. Such a token would let nobody in.")
    return when


def _end_of_day(text: str) -> float:
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        return (day + timedelta(days=1)).timestamp()
    except (ValueError, OverflowError):
        raise BadArgument(
            f"{text[:20]!r} is no time to expire. Write 12h, 30d, 2w, 1y, a date such as"
            " 2027-01-31, or never."
        ) from None


def _secret(id: str) -> str:
    return f"{ACCESS_PREFIX}{id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
