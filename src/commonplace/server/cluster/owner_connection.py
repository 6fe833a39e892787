"""From a node that is not the owner to the owner: the bytes of each connection, both ways."""

import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteStream
from anyio.streams.tls import TLSStream

from commonplace.errors import Unavailable
from commonplace.server.cluster.forwarding import ENDED, carry
from commonplace.server.cluster.node_listener import HANDSHAKE_SECONDS_MAX
from commonplace.server.owner.handshake import HELLO_MAX, Hello, line, parse_answer
from commonplace.server.relay.http_proxy import wait_gone

_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class OwnerConnection:
    """Where the owner is, and what it is told of who comes."""

    host: str
    port: int
    context: ssl.SSLContext
    greeting: Hello
    carried: int = 0
    """How many connections are open now."""

    async def pass_on(self, listeners: Sequence[socket.socket], ready: Callable[[], None]) -> None:
        """Pass everybody on until the owner goes; raises what `ENDED` names if it is not there."""
        greeting = replace(self.greeting, urls=())
        async with await self.reach(self.greeting) as watch:
            ready()
            async with anyio.create_task_group() as tasks:
                for listener in listeners:
                    tasks.start_soon(self.accept, listener.dup(), greeting)
                await wait_gone(watch)
                tasks.cancel_scope.cancel()

    async def reach(self, greeting: Hello, seconds: float = HANDSHAKE_SECONDS_MAX) -> TLSStream:
        """Connect, and be greeted in turn; raises `Unavailable` or what `ENDED` names."""
        with anyio.fail_after(seconds):
            stream = await anyio.connect_tcp(self.host, self.port)
            try:
                owner = await TLSStream.wrap(
                    stream, server_side=False, ssl_context=self.context, standard_compatible=False
                )
                await owner.send(line(greeting))
                parse_answer(await BufferedByteStream(owner).receive_until(b"\n", HELLO_MAX))
            except BaseException:
                await anyio.aclose_forcefully(stream)
                raise
        return owner

    async def accept(self, listener: socket.socket, greeting: Hello) -> None:
        """Carry whoever connects, until this is cancelled."""
        async with await SocketListener.from_socket(listener) as accepting:
            await accepting.serve(partial(self._carry, greeting))

    async def _carry(self, greeting: Hello, client: SocketStream) -> None:
        self.carried += 1
        try:
            async with client, await self.reach(greeting) as owner:
                await carry(client, owner)
        except (Unavailable, *ENDED):
            return
        except Exception:
            _logger.exception("a connection to the owner failed")
        finally:
            self.carried -= 1
