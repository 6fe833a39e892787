"""Signing in: the page shows its token once and gets a cookie, as `EventSource` sends no headers.

The cookie is no token: it names one and is signed, no script can read it, no other site has it
sent, and it ends with its token. Its name holds a part of the key's hash, because browsers share
cookies between all ports of a host.
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable

from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from commonplace.vault.permissions.tokens import Token, Tokens

_SESSION_SECONDS_MAX = 30 * 24 * 3600
COOKIE_CHARS_MAX = 4_096


class Sessions:
    """Writes and reads the cookies of one vault."""

    def __init__(self, tokens: Tokens, key: bytes, clock: Callable[[], float] = time.time) -> None:
        self._tokens = tokens
        self._key = key
        self._clock = clock
        self.cookie = f"commonplace_{hashlib.sha256(key).hexdigest()[:8]}"

    def begin(self, request: Request, token: Token) -> Response:
        """Answer with a cookie that stands for the token."""
        left = self._tokens.seconds_left(token)
        seconds = int(min(_SESSION_SECONDS_MAX, _SESSION_SECONDS_MAX if left is None else left))
        response = JSONResponse({"name": token.name, "scope": token.scope})
        value = self._signed(f"{token.id}.{int(self._clock()) + seconds}")
        # Behind a proxy the scheme seen here is not the one the browser used; the origin says it.
        secure = request.headers.get("origin", "").startswith("https://")
        response.set_cookie(
            self.cookie, value, seconds, secure=secure, httponly=True, samesite="strict"
        )
        return response

    def end(self) -> Response:
        """Answer with a cookie that is over."""
        response = JSONResponse({})
        response.delete_cookie(self.cookie, httponly=True, samesite="strict")
        return response

    def token(self, scope: Scope) -> Token | None:
        """Return the token that a request's cookie stands for, if it still holds."""
        for name, header in scope["headers"]:
            if name == b"cookie" and len(header) <= COOKIE_CHARS_MAX:
                value = cookie_parser(header.decode("latin-1")).get(self.cookie, "")
                if token := self._read(value):
                    return token
        return None

    def _read(self, value: str) -> Token | None:
        body, _, _ = value.rpartition(".")
        if not body or not hmac.compare_digest(self._signed(body).encode(), value.encode()):
            return None
        id, _, until = body.partition(".")
        return self._tokens.get(id) if int(until) > self._clock() else None

    def _signed(self, body: str) -> str:
        seal = hmac.digest(self._key, f"session {body}".encode(), "sha256")
        return f"{body}.{base64.urlsafe_b64encode(seal).rstrip(b'=').decode()}"
