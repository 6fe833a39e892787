"""The process that owns a vault, asked over its HTTP socket."""

import http.client
import json
import socket
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from commonplace.errors import CODES, Unavailable

_ENDED = "The vault's owner ended or failed. Try again."


class Owner:
    """The process that owns the vault, asked over its HTTP socket."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connections: set[_Unix] = set()

    def close(self) -> None:
        """Let nobody wait for an answer any more."""
        for connection in tuple(self._connections):
            connection.end()

    def get(self, path: str) -> dict[str, Any]:
        """Ask for something."""
        return _only(self.ask("GET", path))

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Have something done."""
        return _only(self.lines(path, body))

    def lines(self, path: str, body: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        """Have something done, and give each line of the answer as it comes."""
        return self.ask("POST", path, json.dumps(body).encode())

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """Follow a stream of server-sent events."""
        with self._connected() as connection:
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                if answer.status != http.HTTPStatus.OK:
                    _checked(json.loads(answer.read()))
                for text in answer:
                    if text.startswith(b"data: "):
                        yield json.loads(text[6:])
            except (OSError, ValueError, http.client.HTTPException):
                raise Unavailable(_ENDED) from None

    def ask(self, method: str, path: str, body: bytes | None = None) -> Iterator[dict[str, Any]]:
        """Ask, and give each line of the answer as it comes."""
        with self._connected() as connection:
            try:
                connection.request(method, path, body, {"X-Commonplace": "1"})
                for text in connection.getresponse():
                    yield _checked(json.loads(text))
            except (OSError, ValueError, http.client.HTTPException):
                raise Unavailable(_ENDED) from None

    @contextmanager
    def _connected(self) -> "Generator[_Unix]":
        with closing(_Unix(self._path)) as connection:
            self._connections.add(connection)
            try:
                yield connection
            finally:
                self._connections.discard(connection)


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path
        self._link = socket.socket(socket.AF_UNIX)

    def connect(self) -> None:
        self.sock = self._link
        self.sock.connect(str(self._path))

    def end(self) -> None:
        """Wake the thread that waits for an answer: to close would not."""
        with suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)


def _only(answers: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Return an answer of one line; an owner that is killed can end before it."""
    for answer in answers:
        return answer
    raise Unavailable(_ENDED)


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    if "error" in body:
        kind = CODES.get(body["error"]["code"], Unavailable)
        raise kind(body["error"]["message"])
    return body
