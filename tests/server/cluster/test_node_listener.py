"""The door between nodes, with real TLS: whoever has the key comes in, and nobody else."""

import socket
import ssl
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import get_args

import anyio
import pytest
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteStream
from anyio.streams.tls import TLSStream

from commonplace.server.cluster.forwarding import ENDED
from commonplace.server.cluster.node_listener import accept_nodes, attend
from commonplace.server.cluster.owner_connection import OwnerConnection
from commonplace.server.cluster.team import Team
from commonplace.server.owner.handshake import (
    HELLO_MAX,
    ClientKind,
    Welcome,
    hello,
    line,
    parse_hello,
)
from commonplace.vault.owner import OWNER_SOCKET
from commonplace.vault.settings import Root, Settings
from tests.wait import PATIENCE

pytestmark = pytest.mark.anyio

_MAKE = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9"]


def team(folder: Path, name: str) -> Team:
    key = folder / f"{name}.pem"
    subject = ["-subj", "/CN=commonplace", "-keyout", str(key), "-out", str(key)]
    subprocess.run([*_MAKE, *subject], check=True, capture_output=True)
    return Team("postgresql://db/notes", "notes", "127.0.0.1", 0, key)


@dataclass
class Owner:
    """An owner as its sockets show it: it says which one speaks HTTP, where all is sent back."""

    folder: Path
    port: int = 0
    greeted: list[bytes] = field(default_factory=list[bytes])
    leave: anyio.Event = field(default_factory=anyio.Event)

    async def greet(self, stream: SocketStream) -> None:
        async with stream:
            self.greeted.append(await BufferedByteStream(stream).receive_until(b"\n", HELLO_MAX))
            await stream.send(line(Welcome(socket="http.sock")))
            await self.leave.wait()

    @staticmethod
    async def echo(stream: SocketStream) -> None:
        async with stream:
            async for data in stream:
                await stream.send(data.upper())


@asynccontextmanager
async def owner_behind_door(folder: Path, key: Team) -> AsyncGenerator[Owner]:
    owner = Owner(folder)
    door = socket.create_server(("127.0.0.1", 0))
    owner.port = door.getsockname()[1]
    async with (
        await anyio.create_unix_listener(folder / OWNER_SOCKET) as greets,
        await anyio.create_unix_listener(folder / "http.sock") as app,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(greets.serve, owner.greet)
        tasks.start_soon(app.serve, owner.echo)
        tasks.start_soon(accept_nodes, door, key.context(server=True), partial(attend, folder))
        yield owner
        tasks.cancel_scope.cancel()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings((Root("notes", tmp_path),), tmp_path / "state")


async def test_what_a_client_sends_to_a_node_reaches_the_owner_and_comes_back(
    tmp_path: Path, settings: Settings
) -> None:
    key = team(tmp_path, "key")
    async with owner_behind_door(tmp_path, key) as owner:
        front = socket.create_server(("127.0.0.1", 0))
        connection = OwnerConnection(
            "127.0.0.1", owner.port, key.context(server=False), hello(settings, "http")
        )
        ready, gone = anyio.Event(), anyio.Event()

        async def pass_on() -> None:
            await connection.pass_on([front], ready.set)
            gone.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pass_on)
            with anyio.fail_after(PATIENCE):
                await ready.wait()
                async with await anyio.connect_tcp(*front.getsockname()) as client:
                    await client.send(b"hello")
                    assert await client.receive() == b"HELLO"
                owner.leave.set()  # whoever watches an owner that goes is told at once
                await gone.wait()
        front.close()


async def greet(context: ssl.SSLContext, port: int, text: bytes) -> bytes:
    """Say something at the door, and wait for what it answers, if only that it closes."""
    with anyio.fail_after(PATIENCE):
        try:
            async with await anyio.connect_tcp("127.0.0.1", port) as stream:
                node = await TLSStream.wrap(
                    stream, server_side=False, ssl_context=context, standard_compatible=False
                )
                await node.send(text)
                return await node.receive()
        except ENDED:
            return b""


@pytest.mark.parametrize("kind", get_args(ClientKind))
async def test_who_has_the_key_is_let_in_as_a_program_of_the_owners_machine_is(
    tmp_path: Path, settings: Settings, kind: ClientKind
) -> None:
    key = team(tmp_path, "key")
    async with owner_behind_door(tmp_path, key) as owner:
        assert await greet(key.context(server=False), owner.port, line(hello(settings, kind)))
        assert [parse_hello(greeting).kind for greeting in owner.greeted] == [kind]


async def test_a_greeting_of_no_known_kind_is_refused(tmp_path: Path, settings: Settings) -> None:
    key = team(tmp_path, "key")
    unknown = line(hello(settings, "http")).replace(b'"http"', b'"root"')
    async with owner_behind_door(tmp_path, key) as owner:
        said = await greet(key.context(server=False), owner.port, unknown)
        assert b'"ok": false' in said
        assert owner.greeted == []


async def test_who_has_another_key_or_none_is_refused(tmp_path: Path, settings: Settings) -> None:
    key, other = team(tmp_path, "key"), team(tmp_path, "other")
    greeting = line(hello(settings, "http"))
    anonymous = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anonymous.check_hostname = False
    anonymous.load_verify_locations(key.key)
    async with owner_behind_door(tmp_path, key) as owner:
        assert await greet(other.context(server=False), owner.port, greeting) == b""
        assert await greet(anonymous, owner.port, greeting) == b""
        with anyio.fail_after(PATIENCE):
            async with await anyio.connect_tcp("127.0.0.1", owner.port) as plain:
                await plain.send(greeting)
                said = [data async for data in plain]
                assert b"http.sock" not in b"".join(said)  # but what TLS thinks of that
        assert owner.greeted == []
        assert await greet(key.context(server=False), owner.port, greeting)


async def test_a_node_speaks_to_no_owner_with_another_key(
    tmp_path: Path, settings: Settings
) -> None:
    key, other = team(tmp_path, "key"), team(tmp_path, "other")
    async with owner_behind_door(tmp_path, other) as owner:
        connection = OwnerConnection(
            "127.0.0.1", owner.port, key.context(server=False), hello(settings, "http")
        )
        with anyio.fail_after(PATIENCE), pytest.raises(ENDED):
            await connection.pass_on([], partial(pytest.fail, "it was let in"))
        assert owner.greeted == []
