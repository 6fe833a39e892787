"""The server of a vault, asked over HTTP, in threads.

What it answers is data from elsewhere: each path is checked by the policy for paths, each size has
a bound, and nothing leads to another address.
"""

import hashlib
import http.client
import json
import re
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit

from commonplace.core import paths
from commonplace.core.file_sides import FILE_BYTES_MAX
from commonplace.core.scopes import Scope
from commonplace.errors import (
    CODES,
    BadArgument,
    BadPath,
    Forbidden,
    NotFound,
    Unavailable,
    Unreadable,
)

ANSWER_BYTES_MAX = 64 * 1024 * 1024
_FILES_MAX = 200_000
WAIT_SECONDS = 10
_SECONDS_MAX = 30.0
_CONNECTIONS_MAX = 8
_SHA = re.compile(r"[0-9a-f]{64}")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Offline(Unavailable):
    """The server cannot be reached, or is not ready."""


class NotLetIn(Forbidden):
    """The access token is missing, or does not hold."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a vault is: `https://server`, or `https://server/v/NAME` where there are several."""

    host: str
    port: int
    path: str
    encrypted: bool

    @staticmethod
    def of(url: str) -> "Address":
        """Read an address; without encryption only this machine is talked to."""
        found = urlsplit(url)
        try:
            port = found.port
        except ValueError:
            raise BadArgument(f"{url} has no valid port.") from None
        if found.scheme not in ("http", "https") or not found.hostname:
            raise BadArgument("Name the server as https://server or https://server/v/NAME.")
        if found.username or found.password or found.query or found.fragment:
            raise BadArgument("The address can hold neither a name nor a password nor a query.")
        encrypted = found.scheme == "https"
        if not encrypted and found.hostname not in _LOOPBACK:
            raise BadArgument("Over http:// a token could be read on the way. Use https://.")
        default = 443 if encrypted else 80
        return Address(found.hostname, port or default, found.path.rstrip("/"), encrypted)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.encrypted else 'http'}://{host}:{self.port}{self.path}"


@dataclass(frozen=True, slots=True)
class RemoteFiles:
    """What changed on the server since a cursor: hashes by path, and what is gone.

    `refused` are names that no file here may get, `large` those of files that are not copied.
    """

    cursor: str
    whole: bool
    files: dict[str, str]
    gone: frozenset[str]
    may: Scope
    refused: tuple[str, ...] = ()
    large: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SaveReply:
    """What became of a save, and the hash of what the server's file holds now."""

    outcome: str
    sha: str


class RemoteServer:
    """A vault on a server. Its methods block, and may be called from several threads."""

    def __init__(self, address: Address, token: str = "", who: str = "") -> None:
        self.address = address
        self._who = who
        self._idle: list[http.client.HTTPConnection] = []
        self._busy: set[http.client.HTTPConnection] = set()
        self._closed = False
        self._headers = {"X-Commonplace": "1"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._tls = ssl.create_default_context() if address.encrypted else None

    def close(self) -> None:
        """Let go of the connections; whoever waits for an answer waits no more."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        for connection in list(self._busy):
            if connection.sock is not None:
                with suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def files(self, since: str, wait: int) -> RemoteFiles:
        """Ask what changed; if nothing has, the answer may take so many seconds."""
        query = {"since": since, "wait": str(wait)}
        try:
            found = self._ask("GET", "/api/files", query, most=ANSWER_BYTES_MAX)
        except NotFound:
            raise BadArgument(f"There is no vault at {self.address}.") from None
        return _files(found)

    def content(self, path: str) -> bytes:
        """Ask for what a file holds."""
        return self._bytes("GET", "/api/files/content", {"path": path}, most=FILE_BYTES_MAX)

    def has(self, path: str) -> bool:
        """Ask whether a file is there at all."""
        try:
            self._bytes("HEAD", "/api/files/content", {"path": path})
        except NotFound:
            return False
        return True

    def save(self, path: str, data: bytes, was: str, base: bytes | None, name: str) -> SaveReply:
        """Have a file saved that was made from another; the name tells one save from all others."""
        query = {"path": path, "was": was, "name": name, "who": self._who}
        if base is not None:
            query["base_size"] = str(len(base))
        found = self._ask("POST", "/api/files/save", query, (base or b"") + data)
        outcome, sha = found.get("outcome"), found.get("sha")
        if outcome not in ("saved", "suggested", "conflict") or not isinstance(sha, str):
            raise _strange()
        return SaveReply(outcome, sha)

    def delete(self, path: str, was: str) -> None:
        """Have a file deleted that holds this; one that is gone is as good."""
        body = {"path": path, "was": was, "who": self._who}
        with suppress(NotFound):
            self._ask("POST", "/api/files/delete", {}, json.dumps(body).encode())

    def rename(self, path: str, to: str, was: str) -> None:
        """Have a file renamed that holds this."""
        body = {"path": path, "to": to, "was": was, "who": self._who}
        self._ask("POST", "/api/files/rename", {}, json.dumps(body).encode())

    # -- requests

    def _ask(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        most: int = 1 << 20,
    ) -> dict[str, Any]:
        data = self._bytes(method, path, query, body, most)
        try:
            found: object = json.loads(data)
        except (ValueError, RecursionError):
            raise _strange() from None
        if not isinstance(found, dict):
            raise _strange()
        return cast("dict[str, Any]", found)

    def _bytes(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: bytes | None = None,
        most: int = 1 << 20,
    ) -> bytes:
        place = f"{quote(self.address.path)}{path}" + (f"?{urlencode(query)}" if query else "")
        while True:
            connection, fresh = self._connection()
            self._busy.add(connection)
            try:
                connection.request(method, place, body, self._headers)
                answer = connection.getresponse()
                data = answer.read(most + 1)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                if fresh or self._closed:
                    raise Offline(f"The server cannot be reached ({_reason(error)}).") from error
                continue  # it was closed while nobody used it
            finally:
                self._busy.discard(connection)
            if len(data) > most:
                connection.close()
                raise Unreadable(f"The server sends more than {most // 1_000_000} MB at once.")
            self._keep(connection, answer)
            return _checked(answer.status, data)

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        with suppress(IndexError):
            return self._idle.pop(), False
        host, port = self.address.host, self.address.port
        if self._tls is not None:
            return http.client.HTTPSConnection(
                host, port, timeout=_SECONDS_MAX, context=self._tls
            ), True
        return http.client.HTTPConnection(host, port, timeout=_SECONDS_MAX), True

    def _keep(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        if answer.isclosed() and not answer.will_close and len(self._idle) < _CONNECTIONS_MAX:
            self._idle.append(connection)
        else:
            connection.close()


def content_hash(data: bytes) -> str:
    """Return what tells one content from another, as the server does."""
    return hashlib.sha256(data).hexdigest()


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", "") or error or type(error).__name__)


def _strange() -> Unavailable:
    return Unavailable("The server's answer is not one of Commonplace's. Is the address right?")


def _checked(status: int, data: bytes) -> bytes:
    """Return the body of an answer, or raise what it says instead."""
    if status == http.HTTPStatus.OK:
        return data
    code, message = _error(data)
    if status == http.HTTPStatus.UNAUTHORIZED:
        raise NotLetIn(message or "The server requires an access token.")
    if status == http.HTTPStatus.FORBIDDEN:
        raise Forbidden(message or "The server refuses this.")
    if status == http.HTTPStatus.NOT_FOUND:
        raise NotFound(message or "There is no such file on the server.")
    if code in CODES:
        raise CODES[code](message)
    if status >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
        raise Offline(message or f"The server is not ready ({status}).")
    raise BadArgument(message or f"The server answers with {status}. Is the address right?")


def _error(data: bytes) -> tuple[str, str]:
    with suppress(ValueError, RecursionError, AttributeError, TypeError, KeyError):
        error = json.loads(data)["error"]
        return str(error["code"]), str(error["message"])[:1_000]
    return "", ""


def _files(found: dict[str, Any]) -> RemoteFiles:
    rows, gone, may = found.get("files"), found.get("gone"), found.get("may")
    cursor, whole = found.get("cursor"), found.get("whole")
    if not isinstance(rows, list) or not isinstance(gone, list) or not isinstance(cursor, str):
        raise _strange()
    if may not in ("read", "suggest", "write") or not isinstance(whole, bool):
        raise _strange()
    listed, missing = cast("list[object]", rows), cast("list[object]", gone)
    if len(listed) > _FILES_MAX:
        raise Unreadable(f"The vault has more than {_FILES_MAX:,} files; a copy takes no more.")
    files: dict[str, str] = {}
    refused: list[str] = []
    large: set[str] = set()
    for row in listed:
        path, sha, size = _row(row)
        if not is_safe(path):
            refused.append(path)
        elif not sha or size > FILE_BYTES_MAX:
            large.add(path)
        else:
            files[path] = sha
    lost = frozenset(path for path in missing if isinstance(path, str) and is_safe(path))
    return RemoteFiles(cursor, whole, files, lost, may, tuple(refused), frozenset(large))


def _row(row: object) -> tuple[str, str, int]:
    if not isinstance(row, dict):
        raise _strange()
    cells = cast("dict[str, object]", row)
    path, sha, size = cells.get("path"), cells.get("sha"), cells.get("size")
    if not isinstance(path, str) or not isinstance(sha, str) or not isinstance(size, int):
        raise _strange()
    if sha and not _SHA.fullmatch(sha):
        raise _strange()
    return path, sha, size


def is_safe(path: str) -> bool:
    """Tell whether a name from elsewhere can be a file's here: beneath the folder, not hidden."""
    try:
        path.encode()
        return paths.note_path(path) == path
    except (BadPath, UnicodeEncodeError):
        return False
