"""Programs on the machine of a node that is not the owner: commands, and `commonplace mcp`.

They find the socket and the greeting that they would find beside the owner, and are carried there.
Who may reach the socket is whom the system lets: the person whose folder it is in.
"""

import logging
import secrets
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteStream
from anyio.streams.tls import TLSStream

from commonplace.errors import CommonplaceError
from commonplace.server.cluster.forwarding import ENDED, carry
from commonplace.server.cluster.node_listener import HANDSHAKE_SECONDS_MAX
from commonplace.server.cluster.owner_connection import OwnerConnection
from commonplace.server.owner.handshake import HELLO_MAX, Hello, Welcome, line, parse_hello
from commonplace.vault.owner import listen

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReachedOwner:
    """An owner that has answered a greeting."""

    owner: OwnerConnection
    greeting: Hello
    stream: TLSStream
    folder: Path
    """Where programs of this machine look for the sockets of the vault."""
    urls: tuple[str, ...]
    """Where this node serves its page."""


Reach = Callable[[Hello], Awaitable[ReachedOwner]]
"""Greets the owner of the vault that a program means; raises a `CommonplaceError`, or `ENDED`."""


async def let_in(listener: socket.socket, reach: Reach) -> None:
    """Carry programs to the owner that each of them means, until cancelled."""

    async def attend(stream: SocketStream) -> None:
        try:
            async with stream:
                client = BufferedByteStream(stream)
                with anyio.fail_after(HANDSHAKE_SECONDS_MAX):
                    text = await client.receive_until(b"\n", HELLO_MAX)
                await _carry(client, text, reach)
        except ENDED:
            return  # whoever it is asks again
        except Exception:
            _logger.exception("a program of this machine could not be carried to the owner")

    async with await SocketListener.from_socket(listener) as accepting:
        await accepting.serve(attend)


async def _carry(client: BufferedByteStream, text: bytes, reach: Reach) -> None:
    try:
        reached = await reach(parse_hello(text))
    except CommonplaceError as error:
        await client.send(line(Welcome(ok=False, error=str(error))))
        return
    async with reached.stream:
        if reached.greeting.kind == "mcp":
            await client.send(line(Welcome(urls=reached.urls)))
            await carry(client, reached.stream)
        else:
            await _carry_requests(client, reached)


async def _carry_requests(client: BufferedByteStream, reached: ReachedOwner) -> None:
    """Have a socket for requests over HTTP, for as long as the program stays that greeted."""
    path = reached.folder / f"http-{secrets.token_hex(4)}.sock"
    listener = listen(path)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(reached.owner.accept, listener, reached.greeting)
            await client.send(line(Welcome(socket=path.name, urls=reached.urls)))
            await carry(client, reached.stream)
            tasks.cancel_scope.cancel()
    finally:
        listener.close()
        path.unlink(missing_ok=True)
