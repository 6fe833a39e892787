"""Whose access token a request came with, for whoever answers it.

The SDK asks for the same: it binds a session, and what it seals for a client, to this user.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import Scope as Connection

from commonplace.core.scopes import Scope, allows
from commonplace.errors import Forbidden
from commonplace.vault.permissions.tokens import Token, Tokens

WHO_CHARS_MAX = 64


class Unauthorized(Forbidden):
    """No token was given, or one that is not valid."""


class Holder(AuthenticatedUser):
    """Somebody who came with a token; the secret is not kept."""

    def __init__(self, token: Token, tokens: Tokens) -> None:
        super().__init__(AccessToken(token="", client_id=token.id, scopes=[token.scope]))
        self.token = token
        self._tokens = tokens

    def watch(self, stop: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `stop` if the token ends meanwhile."""
        return self._tokens.watch(self.token, stop)


def token_of(connection: Connection) -> Token | None:
    """Return the token that a request or a socket came with."""
    user = connection.get("user")
    return user.token if isinstance(user, Holder) else None


def watching(connection: Connection, stop: Callable[[], None]) -> AbstractContextManager[None]:
    """Call `stop` if the token that a connection came with ends meanwhile."""
    user = connection.get("user")
    return user.watch(stop) if isinstance(user, Holder) else nullcontext()


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
