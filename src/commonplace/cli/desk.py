"""The vault as a command sees it: opened here, or asked for through its owner.

Both have the same methods. A command must never write beside a running owner, so when there is one
its questions go to the owner's HTTP socket; else this process is the owner while the command runs,
and lets others in like any owner.
"""

import http.client
import json
import socket
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

import anyio
import anyio.to_thread

from commonplace.errors import BadArgument, NotFound, Unavailable
from commonplace.server.composition import compose
from commonplace.server.hello import Answer, hello, line, parse_answer
from commonplace.server.host import hosting
from commonplace.vault.doctor import Check
from commonplace.vault.owner import claim, connect, socket_folder
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Hit

GREETING_SECONDS_MAX = 60.0

_PAUSE = 0.05
_ERRORS = {"BAD_ARGUMENT": BadArgument, "NOT_FOUND": NotFound}


class Desk(Protocol):
    """What commands ask of a vault; `Vault` has these methods by itself."""

    def status(self) -> dict[str, object]: ...  # noqa: D102
    async def search(self, query: str, limit: int) -> list[Hit]: ...  # noqa: D102
    async def diagnose(self) -> list[Check]: ...  # noqa: D102
    async def refresh(  # noqa: D102
        self, *, rebuild: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> None: ...


@asynccontextmanager
async def opened(settings: Settings) -> AsyncGenerator[tuple[Desk, Answer | None]]:
    """Give the vault, and its owner if that is another process."""
    while True:
        claimed = await anyio.to_thread.run_sync(claim, settings)
        if claimed:
            with claimed:
                async with (
                    compose(settings, follow=False) as served,
                    hosting(settings, claimed, served),
                ):
                    yield served.vault, None
            return
        asked = await anyio.to_thread.run_sync(_greeted, settings)
        if asked:
            link, owner = asked
            with link:
                yield Remote(socket_folder(settings) / owner.socket), owner
            return
        await anyio.sleep(_PAUSE)


class Remote:
    """The vault of another process, over its HTTP socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def status(self) -> dict[str, object]:
        """Ask how things are."""
        return self._get("/api/status")

    async def search(self, query: str, limit: int) -> list[Hit]:
        """Ask for notes ranked by the words of a query."""
        path = f"/api/search?{urlencode({'q': query, 'limit': limit})}"
        found = await anyio.to_thread.run_sync(self._get, path)
        return [Hit(**hit) for hit in found["hits"]]

    async def diagnose(self) -> list[Check]:
        """Ask for a check of files, index and state."""
        found = await anyio.to_thread.run_sync(self._get, "/api/doctor")
        return [Check(**check) for check in found["checks"]]

    async def refresh(
        self, *, rebuild: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Have the index brought up to date now."""
        await anyio.to_thread.run_sync(partial(self._refresh, rebuild, progress))

    def _refresh(self, rebuild: bool, progress: Callable[[int, int], None] | None) -> None:
        for step in self._ask("POST", f"/api/index?rebuild={int(rebuild)}"):
            if progress and "done" in step:
                progress(step["done"], step["total"])

    def _get(self, path: str) -> dict[str, Any]:
        return next(self._ask("GET", path))

    def _ask(self, method: str, path: str) -> Iterator[dict[str, Any]]:
        """Ask, and give each line of the answer as it comes."""
        with closing(_Unix(self._path)) as connection:
            try:
                connection.request(method, path)
                for text in connection.getresponse():
                    yield _checked(json.loads(text))
            except (OSError, ValueError, http.client.HTTPException):
                raise Unavailable("The vault's owner ended or failed. Try again.") from None


class _Unix(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))


def _greeted(settings: Settings) -> tuple[socket.socket, Answer] | None:
    """Greet the owner as one that speaks HTTP; None when it went meanwhile."""
    link = connect(settings)
    if link is None:
        return None
    link.settimeout(GREETING_SECONDS_MAX)
    try:
        link.sendall(line(hello(settings, "http")))
        text = link.makefile("rb").readline()
    except OSError:
        text = b""
    if not text:
        link.close()
        return None
    return link, parse_answer(text)


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    if "error" in body:
        kind = _ERRORS.get(body["error"]["code"], Unavailable)
        raise kind(body["error"]["message"])
    return body
