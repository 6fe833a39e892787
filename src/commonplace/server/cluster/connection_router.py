"""Connections to a node with several vaults: each is carried to the owner of its vault.

That owner is this node, or another, or, when nobody has the vault, the node whose turn it is.
Whoever comes while a vault changes hands waits, and is not refused.
"""

import json
import logging
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, isinf
from pathlib import Path

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteStream
from anyio.streams.tls import TLSStream

from commonplace.errors import BadArgument, CommonplaceError, NotFound, Unavailable
from commonplace.server.cluster.forwarding import ENDED, carry
from commonplace.server.cluster.head import HEAD_MAX, RequestHead, parse_head
from commonplace.server.cluster.local_clients import ReachedOwner
from commonplace.server.cluster.node_listener import attend, speak
from commonplace.server.cluster.owner_connection import OwnerConnection
from commonplace.server.cluster.places import Places
from commonplace.server.cluster.team import Team, checked_name
from commonplace.server.cluster.vaults import OpenVault, Vaults
from commonplace.server.owner.half_open import HEAD_SECONDS_MAX, count_max
from commonplace.server.owner.handshake import Hello, Welcome, line, named_alone
from commonplace.server.relay.http_proxy import copy
from commonplace.vault.lease.tables import Holder

REACH_SECONDS_MAX = 30.0
"""How long somebody waits for a vault: longer than one needs to change hands."""

_PAUSE, _PAUSE_MAX = 0.05, 0.5
_HEALTH = ("/healthz", "/readyz")
_PLAIN = "Content-Type: text/plain; charset=utf-8"
_UNREACHED = "The vault cannot be reached at the moment. Try again."

_logger = logging.getLogger(__name__)


class ConnectionRouter:
    """Carries everybody to the vault that they ask for."""

    def __init__(
        self,
        team: Team,
        vaults: Vaults,
        places: Places,
        greeting: Hello,
        candidates: Callable[[str], Awaitable[Sequence[str]]],
    ) -> None:
        """Take what other nodes are told of who comes in here, and which are to open a vault."""
        self._team = team
        self._vaults = vaults
        self._places = places
        self._greeting = greeting
        self._candidates = candidates
        self._context = team.context(server=False)
        self._half_open: OrderedDict[anyio.CancelScope, None] = OrderedDict()
        self._half_open_max = count_max()

    async def accept(self, listener: socket.socket) -> None:
        """Let everybody in who connects, until this is cancelled."""
        async with await SocketListener.from_socket(listener) as accepting:
            await accepting.serve(self._attend)

    async def receive(self, greeting: Hello, node: TLSStream) -> None:
        """Receive what another node carries here, for a vault that is ours or nobody's."""
        try:
            vault = await self._vaults.open(checked_name(greeting.vault))
            if vault is None:
                return  # whoever asked looks again who has it
            with vault.carrying():
                if greeting.kind == "http":
                    app = await vault.app(greeting)
                    await node.send(line(Welcome()))
                    await speak(node, app)
                else:
                    await attend(vault.sockets, greeting, node)
        except CommonplaceError as error:
            await node.send(line(Welcome(ok=False, error=str(error))))

    async def reach(self, greeting: Hello) -> ReachedOwner:
        """Reach the owner of a vault for a program of this machine, which names its folder here."""
        name = self._named(greeting)
        greeting, pause = replace(named_alone(greeting), vault=name), _PAUSE
        folder, urls = await self._vaults.sockets_of(name), self._vaults.urls_of(name)
        with anyio.move_on_after(REACH_SECONDS_MAX):
            while True:
                for address in await self._owners(name):
                    owner = self._connection(address, greeting)
                    with suppress(*ENDED):
                        stream = await owner.reach(greeting, REACH_SECONDS_MAX)
                        return ReachedOwner(owner, greeting, stream, folder, urls)
                self._places.forget(name)
                await anyio.sleep(pause)
                pause = min(pause * 1.5, _PAUSE_MAX)
        raise Unavailable(_UNREACHED)

    def _named(self, greeting: Hello) -> str:
        """Find the vault that is meant by its folder."""
        folder = self._team.folder
        assert folder is not None
        paths = [Path(path) for _, path in greeting.roots]
        if len(paths) != 1 or paths[0].parent != folder.resolve():
            raise BadArgument("That is no vault of this node: name its folder in that of --vaults.")
        return checked_name(paths[0].name)

    async def _owners(self, name: str) -> Sequence[str]:
        """List who has a vault, or else who is to open it."""
        if self._vaults.has(name):
            return [self._places.address]
        if (holder := await self._places.holder(name)) is not None:
            return [holder.address]
        if candidates := await self._candidates(name):
            return candidates
        raise NotFound(f"There is no vault {name!r} here.")

    def _connection(self, address: str, greeting: Hello) -> OwnerConnection:
        host, _, port = address.rpartition(":")
        return OwnerConnection(host, int(port), self._context, greeting)

    async def _attend(self, client: SocketStream) -> None:
        try:
            async with client:
                stream = BufferedByteStream(client)
                if (head := await self._head(stream)) is not None:
                    await self._answer(head, stream, client)
        except ENDED:
            return
        except Exception:
            _logger.exception("a connection to a vault failed")

    async def _head(self, stream: BufferedByteStream) -> RequestHead | None:
        """Read what somebody wants; None if they do not say so in time, or it cannot be read.

        If too many have not said it yet, the one who has waited for longest is given up.
        """
        with anyio.CancelScope() as scope:
            if len(self._half_open) >= self._half_open_max:
                self._half_open.popitem(last=False)[0].cancel()
            self._half_open[scope] = None
            try:
                with anyio.fail_after(HEAD_SECONDS_MAX):
                    return parse_head(await stream.receive_until(b"\r\n\r\n", HEAD_MAX))
            except (BadArgument, anyio.DelimiterNotFound):
                await stream.send(_written(400, "Bad Request", "That is no request of HTTP/1.1."))
            finally:
                self._half_open.pop(scope, None)
        return None

    async def _answer(
        self, head: RequestHead, stream: BufferedByteStream, client: SocketStream
    ) -> None:
        patience = anyio.CancelScope(deadline=anyio.current_time() + REACH_SECONDS_MAX)
        try:
            if head.path in _HEALTH and not self._team.vault:
                await client.send(_healthy())
                return
            name, prefix, asked = head.for_vault(self._team.vault)
            if not asked.path:
                await client.send(_redirected(prefix, asked))
                return
            greeting = replace(self._greeting, vault=name, prefix=prefix)
            first = asked.written() + bytes(stream.buffer)
            with patience:
                await self._carry(greeting, first, client, patience)
            if patience.cancelled_caught:
                raise Unavailable(_UNREACHED)
        except NotFound as error:
            await client.send(_written(404, "Not Found", str(error)))
        except CommonplaceError as error:
            if isinf(patience.deadline):
                raise  # the vault answers already: nothing of ours may stand in its answer
            text = str(error)
            await client.send(_written(503, "Service Unavailable", text, "Retry-After: 2"))

    async def _carry(
        self, greeting: Hello, first: bytes, client: SocketStream, patience: anyio.CancelScope
    ) -> None:
        """Find who has the vault, and carry on there; from then on without limit of time."""
        name, pause = greeting.vault, _PAUSE
        while True:
            if self._vaults.has(name):
                vault = await self._vaults.open(name)
                if vault and await self._carry_here(vault, greeting, first, client, patience):
                    return
            elif (holder := await self._places.holder(name)) is not None:
                if holder.address != self._places.address:
                    owner = await self._reach(holder.address, greeting)
                    if owner is not None:
                        await self._carry_there(owner, name, holder, first, client, patience)
                        return
                self._places.forget(name, holder)
            elif (owner := await self._have_opened(name, greeting)) is not None:
                self._places.forget(name)
                if (holder := await self._places.holder(name)) is not None:
                    await self._carry_there(owner, name, holder, first, client, patience)
                    return
                await anyio.aclose_forcefully(owner)
            self._places.forget(name)
            await anyio.sleep(pause)
            pause = min(pause * 1.5, _PAUSE_MAX)

    async def _have_opened(self, name: str, greeting: Hello) -> TLSStream | None:
        """Have a vault opened that nobody has, by the first whose turn it is and who answers.

        Returns a connection there, if that is another node.
        """
        candidates = await self._candidates(name)
        if not candidates:
            raise NotFound(f"There is no vault {name!r} here.")
        failure: CommonplaceError | None = None
        for address in candidates:
            try:
                if address == self._places.address:
                    await self._vaults.open(name)
                    return None
                if (owner := await self._reach(address, greeting)) is not None:
                    return owner
            except CommonplaceError as error:
                failure = error  # another may have room, or no strange files in its folder
        if failure is not None:
            raise failure
        return None

    async def _reach(self, address: str, greeting: Hello) -> TLSStream | None:
        try:
            return await self._connection(address, greeting).reach(greeting, REACH_SECONDS_MAX)
        except ENDED:
            return None

    async def _carry_here(
        self,
        vault: OpenVault,
        greeting: Hello,
        first: bytes,
        client: SocketStream,
        patience: anyio.CancelScope,
    ) -> bool:
        """Carry what comes to a vault of this node; False if that closes just now."""
        begun = False
        with vault.carrying():
            try:
                stream = await anyio.connect_unix(await vault.app(greeting))
            except ENDED:
                return False
            async with stream as app:
                patience.deadline, begun = inf, True
                await app.send(first)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(copy, client, app)
                    await copy(app, client)
                    tasks.cancel_scope.cancel()
        return begun

    async def _carry_there(
        self,
        owner: TLSStream,
        name: str,
        holder: Holder,
        first: bytes,
        client: SocketStream,
        patience: anyio.CancelScope,
    ) -> None:
        patience.deadline = inf
        async with owner:
            with self._places.carrying(name, holder):
                await carry(client, owner, first)


def _healthy() -> bytes:
    body = json.dumps({"status": "ok"})
    return _written(200, "OK", body, "Content-Type: application/json")


def _redirected(prefix: str, head: RequestHead) -> bytes:
    return _written(308, "Permanent Redirect", "", f"Location: {prefix}/{head.target.decode()}")


def _written(status: int, reason: str, text: str, *fields: str) -> bytes:
    body = text.encode()
    lines = [
        f"HTTP/1.1 {status} {reason}",
        *fields,
        *([] if any(each.startswith("Content-Type") for each in fields) else [_PLAIN]),
        f"Content-Length: {len(body)}",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
