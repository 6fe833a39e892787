"""An owner whose cables are pulled: to its clients, and to the database.

It runs in a network namespace, where that can be made. Nothing is acknowledged that is not
committed; the control, an owner that says so before, loses what it acknowledged.
"""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from commonplace.core.yjs.frames import SyncStatus, SyncStep1, SyncStep2, decode, encode
from tests.engines.postgres.network import Network, network
from tests.engines.postgres.proxy import proxy_to
from tests.engines.postgres.serve_process import ServeProcess, make_key, owner_of
from tests.engines.postgres.server import PostgresServer
from tests.engines.postgres.test_serve import TEXT, document_of
from tests.engines.postgres.test_serve_cut import running
from tests.live.wire import Peer
from tests.wait import PATIENCE, eventually

pytestmark = pytest.mark.anyio

BEFORE, UNREACHED, CUT = "before the cut ", "unreached by clients ", "cut from the database "


@pytest.fixture(scope="module")
def net() -> Generator[Network]:
    with network() as made:
        if made is None:
            pytest.skip("A network namespace takes `ip` and root.")
        yield made


class FarProcess(ServeProcess):
    """A node in a network of its own; clients come to it with a token."""

    def __init__(self, net: Network, folder: Path, url: str, key: Path, module: str) -> None:
        self.prefix, self.module = net.prefix, module
        host = net.clients.there
        super().__init__("far", folder, url, key, "--host", host, "--node", f"{host}:0")
        self.http, self.ws = f"http://{host}:{self.port}", f"ws://{host}:{self.port}/sync"

    def token(self) -> str:
        make = [sys.executable, "-m", "commonplace", "token", "create", "ada", str(self.notes)]
        make += ["--state", str(self.state), "--scope", "approve"]
        return subprocess.check_output(make, text=True).strip()


@dataclass
class Client:
    """Somebody who types, and hears what was saved."""

    sock: ClientConnection
    peer: Peer
    saved: set[bytes] = field(default_factory=set[bytes])

    async def type(self, word: str) -> None:
        await self.sock.send(encode(self.peer.add(word)))
        await self.sock.send(encode(SyncStatus(word.encode())))

    async def listen(self) -> None:
        """Hear whatever comes, until the connection ends."""
        try:
            async for data in self.sock:
                assert isinstance(data, bytes)
                message = decode(data)
                if isinstance(message, SyncStep1):
                    update = self.peer.doc.get_update(message.state_vector)
                    await self.sock.send(encode(SyncStep2(update)))
                elif isinstance(message, SyncStatus):
                    self.saved.add(message.payload)
                self.peer.hear(message)
        except ConnectionClosed:
            return

    def has_saved(self, word: str) -> bool:
        return word.encode() in self.saved


@asynccontextmanager
async def client(node: ServeProcess, note: str, peer: Peer, token: str) -> AsyncGenerator[Client]:
    shown = {"authorization": f"Bearer {token}"}
    address = f"{node.ws}/{note}"
    async with connect(address, additional_headers=shown, ping_interval=None) as sock:
        made = Client(sock, peer)
        listening = asyncio.create_task(made.listen())
        await sock.send(encode(peer.question()))
        await eventually(lambda: str(peer))
        yield made
        await sock.close()
        await listening


async def document(node: ServeProcess, token: str) -> str:
    shown = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=node.http, timeout=PATIENCE, headers=shown) as http:
        return (await http.get("/api/document", params={"path": "a.md"})).json()["id"]


@dataclass(frozen=True, slots=True)
class Nodes:
    """The owner, far away, and the other node, here."""

    far: FarProcess
    near: ServeProcess
    token: str
    note: str


@asynccontextmanager
async def nodes(
    net: Network, postgres: PostgresServer, database: str, folder: Path, module: str
) -> AsyncGenerator[Nodes]:
    (folder / "notes of far").mkdir()
    (folder / "notes of far" / "a.md").write_text(TEXT)
    key, here = make_key(folder), net.database.here
    async with proxy_to(postgres.port, here) as proxy:
        through = postgres.url(database, host=here, port=proxy.port)
        async with running(FarProcess(net, folder, through, key, module)) as far:
            assert isinstance(far, FarProcess)
            token = await asyncio.to_thread(far.token)
            near = ServeProcess(
                "near", folder, postgres.url(database), key, "--node", f"{net.clients.here}:0"
            )
            async with running(near):
                try:
                    yield Nodes(far, near, token, await document(far, token))
                finally:
                    net.clients.mend()
                    net.database.mend()


def lease(url: str) -> tuple[int, float]:
    """The number of the lease, and until when it holds by the database's clock."""
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT fence, extract(epoch FROM until)::float8 FROM commonplace.leases"
        ).fetchone()
    assert row is not None
    return row


async def test_no_acknowledgement_without_a_commit(
    net: Network, postgres: PostgresServer, database: str, url: str, tmp_path: Path
) -> None:
    peer = Peer(7)
    async with nodes(net, postgres, database, tmp_path, "commonplace") as made:
        async with client(made.far, made.note, peer, made.token) as ana:
            await ana.type(BEFORE)
            await eventually(lambda: ana.has_saved(BEFORE))
            net.clients.pull()
            await ana.type(UNREACHED)
            # The owner is well, and keeps the lease: it renews it by the other cable.
            fence, until = lease(url)
            await eventually(lambda: lease(url)[1] > until + 2)
            assert lease(url)[0] == fence
            assert not ana.has_saved(UNREACHED)
            net.clients.mend()
            await eventually(lambda: ana.has_saved(UNREACHED))
            net.database.pull()
            await ana.type(CUT)
            await eventually(lambda: owner_of(url, [made.near]))
            await ana.sock.wait_closed()  # it gave up by itself
            assert not ana.has_saved(CUT)
        async with client(made.near, made.note, Peer(8), "") as bo:
            await eventually(lambda: BEFORE in str(bo.peer))
            assert str(bo.peer).count(UNREACHED) == 1
            assert CUT not in str(bo.peer)
            net.database.mend()
            await asyncio.to_thread(made.far.wait_ready)
            async with client(made.far, made.note, peer, made.token) as ana:
                await eventually(lambda: CUT in str(bo.peer))
                words = [str(bo.peer).count(word) for word in (BEFORE, UNREACHED, CUT)]
                assert words == [1, 1, 1]
        assert "beginning anew" in made.far.complaints
        assert owner_of(url, [made.near]) is made.near
        assert await document_of(made.near, "a.md") == made.note


async def test_acknowledged_before_the_commit_it_would_be_lost(
    net: Network, postgres: PostgresServer, database: str, url: str, tmp_path: Path
) -> None:
    """The control."""
    eager = "tests.engines.postgres.eager_serve"
    async with nodes(net, postgres, database, tmp_path, eager) as made:
        async with client(made.far, made.note, Peer(7), made.token) as ana:
            net.database.pull()
            await ana.type(CUT)
            await eventually(lambda: ana.has_saved(CUT))
            await eventually(lambda: owner_of(url, [made.near]))
        async with client(made.near, made.note, Peer(8), "") as bo:
            assert TEXT.strip() in str(bo.peer)
            assert CUT not in str(bo.peer)
