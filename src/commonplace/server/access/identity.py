"""Whose access token a request came with, for whoever answers it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import cast

from starlette.types import Scope as Connection

from commonplace.core.scopes import Scope, allows
from commonplace.errors import Forbidden
from commonplace.vault.permissions.tokens import Token, Tokens

WHO_CHARS_MAX = 64


class Unauthorized(Forbidden):
    """No token was given, or one that is not valid."""


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Somebody who came with a token; the secret is not kept."""

    token: Token
    tokens: Tokens

    def watch(self, stop: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `stop` if the token ends meanwhile."""
        return self.tokens.watch(self.token, stop)


def holder_of(connection: Connection) -> TokenHolder | None:
    """Return who a request or a socket came from, None if it came without a token."""
    return cast("TokenHolder | None", connection.get("holder"))


def token_of(connection: Connection) -> Token | None:
    """Return the token that a request or a socket came with."""
    holder = holder_of(connection)
    return holder.token if holder else None


def watching(connection: Connection, stop: Callable[[], None]) -> AbstractContextManager[None]:
    """Call `stop` if the token that a connection came with ends meanwhile."""
    holder = holder_of(connection)
    return holder.watch(stop) if holder else nullcontext()


def may(connection: Connection, needed: Scope) -> bool:
    """Tell whether a request or a socket may do this; one that needed no token may do all."""
    token = token_of(connection)
    return token is None or allows(token.scope, needed)


def who(connection: Connection, body: Mapping[str, object]) -> str:
    """Name the person behind a request: by the token, else as the request says."""
    if token := token_of(connection):
        return token.name
    name = str(body.get("who") or "").strip()[:WHO_CHARS_MAX]
    return "".join(character for character in name if character.isprintable()) or "someone"


def person(connection: Connection, body: Mapping[str, object]) -> str:
    """Return the person behind a request as an actor, as the history names one."""
    return f"person:{who(connection, body)}"
