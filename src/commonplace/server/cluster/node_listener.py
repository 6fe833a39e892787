"""Where the owner listens for other nodes: TLS on TCP, behind it the sockets of this machine.

A line with what the other node was started with, as on `owner.sock`, and one back; then whatever
comes is HTTP. Nothing comes on the line by which a node watches whether the owner is there.
"""

import logging
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteStream
from anyio.streams.tls import TLSStream

from commonplace.errors import CommonplaceError
from commonplace.server.cluster.forwarding import ENDED, carry
from commonplace.server.owner.handshake import (
    HELLO_MAX,
    Hello,
    Welcome,
    line,
    parse_answer,
    parse_hello,
)
from commonplace.vault.owner import OWNER_SOCKET

HANDSHAKE_SECONDS_MAX = 10.0

Receive = Callable[[Hello, TLSStream], Awaitable[None]]

_logger = logging.getLogger(__name__)


async def accept_nodes(listener: socket.socket, context: ssl.SSLContext, receive: Receive) -> None:
    """Let other nodes in to whoever receives them, until this is cancelled."""
    async with await SocketListener.from_socket(listener) as accepting:
        await accepting.serve(partial(_let_in, context, receive))


async def _let_in(context: ssl.SSLContext, receive: Receive, stream: SocketStream) -> None:
    try:
        async with stream:
            with anyio.fail_after(HANDSHAKE_SECONDS_MAX):
                node = await TLSStream.wrap(
                    stream, server_side=True, ssl_context=context, standard_compatible=False
                )
                greeting = await _greeting(node)
            if greeting is not None:
                await receive(greeting, node)
    except ssl.SSLError as error:
        _logger.warning("A connection without this cluster's key was refused (%s).", error.reason)
    except ENDED:
        return
    except Exception:
        _logger.exception("what another node carried here failed")


async def _greeting(node: TLSStream) -> Hello | None:
    """Read the line of another node; None if it is told that it was refused."""
    try:
        greeting = parse_hello(await BufferedByteStream(node).receive_until(b"\n", HELLO_MAX))
    except CommonplaceError as error:
        await node.send(line(Welcome(ok=False, error=str(error))))
        return None
    return greeting


async def attend(folder: Path, greeting: Hello, node: TLSStream) -> None:
    """Receive another node for the one owner whose sockets are in a folder.

    Commands of its machine come too (`desk`): whoever has the key of the nodes may do whatever
    a node may.
    """
    async with BufferedByteStream(await anyio.connect_unix(folder / OWNER_SOCKET)) as owner:
        await owner.send(line(greeting))
        answer = await owner.receive_until(b"\n", HELLO_MAX)
        await node.send(answer + b"\n")
        if greeting.kind == "mcp":
            await carry(node, owner)
            return
        app = folder / parse_answer(answer).socket
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cut_when_gone, owner, node)
            await speak(node, app)
            tasks.cancel_scope.cancel()


async def speak(node: TLSStream, path: Path) -> None:
    """Let the app answer, once something comes."""
    with suppress(*ENDED):
        first = await node.receive()
        async with await anyio.connect_unix(path) as app:
            await carry(node, app, first)


async def _cut_when_gone(owner: BufferedByteStream, node: TLSStream) -> None:
    with suppress(*ENDED):
        await owner.receive()
    await node.aclose()
