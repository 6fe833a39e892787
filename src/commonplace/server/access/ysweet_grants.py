"""Grants of y-sweet's kind: a document, what may be done with it, by whom, and until when.

A token is signed, not stored. Its client puts it into the address of the socket, so it is for one
document and does not live long.
"""

import base64
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from commonplace.server.access.identity import Unauthorized

KEY_BYTES = 32
TOKEN_CHARS_MAX = 2_000

Authorization = Literal["full", "read-only"]


@dataclass(frozen=True, slots=True)
class DocumentGrant:
    """What a token allows; `user` is empty if nobody in particular was named.

    `holder` is the id of the access token that it was given for, if that was asked for one.
    """

    document: str
    authorization: Authorization
    user: str
    expires: float
    holder: str = ""


class Grants:
    """Signs grants with one key, and reads them again."""

    def __init__(self, key: bytes | None, clock: Callable[[], float]) -> None:
        self._key = key or secrets.token_bytes(KEY_BYTES)
        self._clock = clock

    def issue(
        self,
        document: str,
        authorization: Authorization,
        user: str,
        seconds: float,
        holder: str = "",
    ) -> str:
        """Sign a grant that holds for some seconds, and no longer than its holder's own token."""
        until = self._clock() + seconds
        body = _text(json.dumps([document, authorization, user, until, holder]).encode())
        return f"{body}.{_text(self._sign(body))}"

    def read(self, token: str, document: str) -> DocumentGrant:
        """Read a token that was given for a document."""
        body, _, signature = token[:TOKEN_CHARS_MAX].partition(".")
        if not hmac.compare_digest(_text(self._sign(body)).encode(), signature.encode()):
            raise Unauthorized("The token is not one of this server's. Ask for a new one.")
        grant = DocumentGrant(*cast("tuple[Any, ...]", json.loads(_bytes(body))))
        if grant.document != document:
            raise Unauthorized("The token is for another document.")
        if grant.expires <= self._clock():
            raise Unauthorized("The token has expired. Ask for a new one.")
        return grant

    def _sign(self, body: str) -> bytes:
        return hmac.digest(self._key, body.encode(), "sha256")


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
