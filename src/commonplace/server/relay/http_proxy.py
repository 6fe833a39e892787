"""`commonplace serve`: HTTP on TCP, as the vault's owner or in front of it.

Beside an owner that is another process, each connection's bytes go to the owner's HTTP socket and
back. When that owner ends, this process claims the vault and serves on the same listening
sockets, which stay open all the time: a client that connects meanwhile waits, and is not refused.
"""

import logging
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import anyio.to_thread
from anyio.abc import ByteReceiveStream, ByteStream, SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteStream

from commonplace.errors import Unavailable
from commonplace.server.owner.handshake import (
    HELLO_MAX,
    WELCOME_SECONDS_MAX,
    hello,
    line,
    parse_answer,
)
from commonplace.server.owner.host import Compose, host
from commonplace.server.owner.http_apps import url
from commonplace.server.owner.loop_errors import ignore_late_readers
from commonplace.vault.owner import OWNER_SOCKET, claim, socket_folder
from commonplace.vault.settings import Settings

_PAUSE = 0.05
_CONNECTION_ENDED = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)

_logger = logging.getLogger(__name__)


async def serve(
    settings: Settings,
    listeners: Sequence[socket.socket],
    *,
    compose: Compose,
    stop: anyio.Event,
    ready: Callable[[], None],
) -> None:
    """Serve the vault until `stop` is set."""
    ignore_late_readers()
    tell = once(ready)
    while not stop.is_set():
        claimed = await anyio.to_thread.run_sync(claim, settings)
        if claimed:
            held = [listener.dup() for listener in listeners]
            await host(settings, claimed, compose=compose, stop=stop, listeners=held, ready=tell)
            return
        await _beside(settings, listeners, stop, tell)


async def _beside(
    settings: Settings,
    listeners: Sequence[socket.socket],
    stop: anyio.Event,
    ready: Callable[[], None],
) -> None:
    """Pass connections on to the owner, until it goes or we are told to."""
    folder = socket_folder(settings)
    try:
        async with BufferedByteStream(await anyio.connect_unix(folder / OWNER_SOCKET)) as owner:
            target = folder / await _greet(settings, owner, tuple(map(url, listeners)))
            ready()
            async with anyio.create_task_group() as tasks:
                for listener in listeners:
                    tasks.start_soon(_accept, listener.dup(), target)
                tasks.start_soon(cancel_when, stop, tasks.cancel_scope)
                await wait_gone(owner)
                tasks.cancel_scope.cancel()
    except (OSError, *_CONNECTION_ENDED):
        await anyio.sleep(_PAUSE)


async def _greet(settings: Settings, owner: BufferedByteStream, urls: tuple[str, ...]) -> str:
    await owner.send(line(hello(settings, "http", urls=urls)))
    try:
        with anyio.fail_after(WELCOME_SECONDS_MAX):
            answer = parse_answer(await owner.receive_until(b"\n", HELLO_MAX))
    except TimeoutError:
        raise Unavailable("The vault's owner does not answer. Stop it and try again.") from None
    except anyio.IncompleteRead:
        raise anyio.EndOfStream from None
    return answer.socket


async def _accept(listener: socket.socket, target: Path) -> None:
    async with await SocketListener.from_socket(listener) as accepting:
        await accepting.serve(lambda stream: _pass_on(stream, target))


async def _pass_on(client: SocketStream, target: Path) -> None:
    try:
        async with (
            client,
            await anyio.connect_unix(target) as owner,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(copy, owner, client)
            await copy(client, owner)
    except OSError:
        return
    except Exception:  # it fails alone: others go through the same listener
        _logger.exception("A connection to the vault's owner failed.")


async def copy(source: ByteStream, target: ByteStream) -> None:
    """Copy one direction to its end, then end it there too."""
    try:
        while True:
            await target.send(await source.receive())
    except anyio.EndOfStream:
        await _end(target)
    except _CONNECTION_ENDED:
        await target.aclose()
        await source.aclose()


async def _end(target: ByteStream) -> None:
    try:
        await target.send_eof()
    except (OSError, RuntimeError, *_CONNECTION_ENDED):  # uvloop's word for one that is closed
        await target.aclose()


async def wait_gone(owner: ByteReceiveStream) -> None:
    """Return when the owner goes; it says nothing more before."""
    try:
        while True:
            await owner.receive()
    except _CONNECTION_ENDED:
        return


async def cancel_when(stop: anyio.Event, scope: anyio.CancelScope) -> None:
    """Cancel what runs once we are told to stop."""
    await stop.wait()
    scope.cancel()


def once(ready: Callable[[], None]) -> Callable[[], None]:
    """Return a function that calls another the first time, and does nothing afterwards."""
    calls = [ready]
    return lambda: calls.pop()() if calls else None
