"""The owner at work: one open vault, and everybody who connects to `owner.sock`.

`compose` is the seam between the sockets and what is served on them: it opens the vault and gives a
`Composition`. Front ends keep their own choices (families of tools, read-only), so a session and an
HTTP app are made for the settings that came with the greeting. When the owner stops, it first
closes its clients' sockets and only then ends their sessions: a client must never take the errors
of an ending session for its answers; it asks the next owner instead.
"""

import logging
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Protocol

import anyio
from anyio.abc import SocketAttribute, SocketListener, SocketStream, TaskStatus
from anyio.streams.buffered import BufferedByteStream

from commonplace.errors import CommonplaceError
from commonplace.server.owner.handshake import HELLO_MAX, Hello, Welcome, chosen, line, parse_hello
from commonplace.server.owner.http_apps import Web
from commonplace.server.owner.interpreter import run_as_server
from commonplace.server.owner.loop_errors import ignore_late_readers
from commonplace.server.owner.pages import PageAddresses
from commonplace.server.owner.usage_counter import UsageCounter
from commonplace.vault.owner import Claim
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

GREETING_SECONDS_MAX = 10.0

_FRONT_END_ENDED = (
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    anyio.IncompleteRead,
    anyio.DelimiterNotFound,
    TimeoutError,
)

logger = logging.getLogger(__name__)


class Composition(Protocol):
    """An open vault, as what is served to clients; `pages` knows where its page is."""

    pages: PageAddresses

    async def session(self, stream: BufferedByteStream, greeting: Hello, own: Settings) -> None:
        """Serve one MCP client until it goes; `own` is the vault's settings with its choices."""
        ...

    async def app(self, own: Settings) -> "ASGIApp":
        """Make the HTTP app for a front end with these choices."""
        ...


Compose = Callable[[Settings], AbstractAsyncContextManager[Composition]]


async def host(
    settings: Settings,
    claim: Claim,
    *,
    compose: Compose,
    stop: anyio.Event,
    listeners: Sequence[socket.socket] = (),
    ready: Callable[[], None] | None = None,
    usage: UsageCounter | None = None,
) -> None:
    """Own the vault until `stop` is set; serve HTTP on `listeners` too.

    `usage` counts those who are connected to the owner's socket.
    """
    ignore_late_readers()
    with claim:
        async with (
            compose(settings) as served,
            hosting(settings, claim, served, listeners, usage),
        ):
            if ready:
                ready()
            run_as_server()
            await stop.wait()


@asynccontextmanager
async def hosting(
    settings: Settings,
    claim: Claim,
    served: Composition,
    listeners: Sequence[socket.socket] = (),
    usage: UsageCounter | None = None,
) -> AsyncGenerator[None]:
    """Let clients in while the body runs."""
    async with Web.open(settings, served.app) as web:
        if listeners:
            await web.start(settings, listeners)
        async with anyio.create_task_group() as tasks:
            door = _Greeter(settings, served, web, usage or UsageCounter())
            await tasks.start(door.keep, claim.listener.dup())
            try:
                with served.pages.served(web.urls):
                    yield
            finally:
                door.close()
                tasks.cancel_scope.cancel()


class _Greeter:
    """Greets everybody who connects to the owner's socket."""

    def __init__(
        self, settings: Settings, served: Composition, web: Web, usage: UsageCounter
    ) -> None:
        self._settings, self._served, self._web = settings, served, web
        self._usage = usage
        self._guests: set[socket.socket] = set()

    def close(self) -> None:
        """Let every client see that the owner goes, before its session notices anything."""
        for guest in self._guests:
            with suppress(OSError):
                guest.shutdown(socket.SHUT_RDWR)

    async def keep(self, listener: socket.socket, *, task_status: TaskStatus[None]) -> None:
        """Accept for as long as the owner lives."""
        async with (
            await SocketListener.from_socket(listener) as accepting,
            anyio.create_task_group() as tasks,
        ):
            task_status.started()
            while True:
                try:
                    stream = await accepting.accept()
                except anyio.BrokenResourceError:
                    logger.warning("a client could not be let in: too many open files?")
                    await anyio.sleep(0.1)
                else:
                    tasks.start_soon(self._welcome, stream)

    async def _welcome(self, stream: SocketStream) -> None:
        guest = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 (this is no Django)
        self._guests.add(guest)
        try:
            async with stream:
                with self._usage.present():
                    await self._attend(BufferedByteStream(stream))
        except _FRONT_END_ENDED:
            pass
        except Exception:
            logger.exception("a client's session failed")
        finally:
            self._guests.discard(guest)

    async def _attend(self, stream: BufferedByteStream) -> None:
        with anyio.fail_after(GREETING_SECONDS_MAX):
            text = await stream.receive_until(b"\n", HELLO_MAX)
        try:
            greeting = parse_hello(text)
            own = chosen(self._settings, greeting)
            name = await self._web.name_of(own) if greeting.kind != "mcp" else ""
        except CommonplaceError as error:
            await stream.send(line(Welcome(ok=False, error=str(error))))
            return
        await stream.send(line(Welcome(socket=name, urls=self._web.urls)))
        if greeting.kind == "mcp":
            await self._served.session(stream, greeting, own)
        else:
            with self._served.pages.served(greeting.urls):
                await stream.receive()  # nothing comes: it ends when either side goes
