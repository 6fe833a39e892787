"""Programs on the machine of a node that is not the owner: commands, and `commonplace mcp`.

They find the socket and the greeting that they would find beside the owner, and are carried there.
Who may reach the socket is whom the system lets: the person whose folder it is in.
"""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio
from anyio.abc import SocketListener, SocketStream, TaskGroup
from anyio.streams.buffered import BufferedByteStream

from commonplace.errors import CommonplaceError
from commonplace.server.cluster.forwarding import ENDED, carry
from commonplace.server.cluster.node_listener import HANDSHAKE_SECONDS_MAX
from commonplace.server.cluster.owner_connection import OwnerConnection
from commonplace.server.owner.handshake import HELLO_MAX, Hello, Welcome, line, parse_hello
from commonplace.vault.owner import Claim, listen

_logger = logging.getLogger(__name__)


class LocalClients:
    """Carries them to one owner; `folder` is where their sockets are."""

    def __init__(
        self, folder: Path, owner: OwnerConnection, urls: Sequence[str], tasks: TaskGroup
    ) -> None:
        self._folder = folder
        self._owner = owner
        self._urls = tuple(urls)
        self._tasks = tasks
        self._apps: set[str] = set()

    async def let_in(self, claim: Claim) -> None:
        """Let them in until cancelled."""
        async with await SocketListener.from_socket(claim.listener.dup()) as accepting:
            await accepting.serve(self._attend)

    async def _attend(self, stream: SocketStream) -> None:
        try:
            async with stream:
                client = BufferedByteStream(stream)
                with anyio.fail_after(HANDSHAKE_SECONDS_MAX):
                    text = await client.receive_until(b"\n", HELLO_MAX)
                await self._carry(client, text)
        except ENDED:
            return  # whoever it is asks again
        except Exception:
            _logger.exception("a program of this machine could not be carried to the owner")

    async def _carry(self, client: BufferedByteStream, text: bytes) -> None:
        try:
            greeting = _for_owner(parse_hello(text))
            owner = await self._owner.reach(greeting)
        except CommonplaceError as error:
            await client.send(line(Welcome(ok=False, error=str(error))))
            return
        async with owner:
            name = "" if greeting.kind == "mcp" else self._app(greeting)
            await client.send(line(Welcome(socket=name, urls=self._urls)))
            await carry(client, owner)

    def _app(self, greeting: Hello) -> str:
        """Name the socket where HTTP is carried to the owner for those who greet so."""
        greeting = replace(greeting, session="", pid=0, urls=())
        name = f"http-{hashlib.sha256(line(greeting)).hexdigest()[:8]}.sock"
        if name not in self._apps:
            listener = listen(self._folder / name)
            self._tasks.start_soon(self._owner.accept, listener, greeting)
            self._apps.add(name)
        return name


def _for_owner(greeting: Hello) -> Hello:
    """Name the folders alone: where they are is this machine's own affair."""
    return replace(greeting, roots=tuple((name, "") for name, _ in greeting.roots))
