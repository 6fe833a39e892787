"""`serve` as the vault's owner, beside one, and after one, with a stand-in for what is served."""

import os
import signal
import socket
import struct
import threading
import time
import urllib.error
from collections.abc import Callable, Generator
from contextlib import ExitStack, suppress
from pathlib import Path

import anyio
import pytest
from anyio.abc import SocketStream

from commonplace.server.relay.http_proxy import copy
from tests.server.processes import STANDIN, Client, Process, get
from tests.wait import until

Start = Callable[..., Client]

pytestmark = pytest.mark.slow


@pytest.fixture
def start(tmp_path: Path) -> Generator[Start]:
    """Start processes on one vault; they end with the test."""
    (tmp_path / "vault").mkdir()
    with ExitStack() as stack:

        def process(command: str, *more: str) -> Client:
            vault, state = str(tmp_path / "vault"), str(tmp_path / "state")
            return stack.enter_context(Client(*STANDIN, command, vault, state, *more))

        yield process


def url(server: Process) -> str:
    """Wait until a `serve` process says where it serves."""
    return until(lambda: server.out or server.process.poll() is not None) and (
        server.out[0].decode().strip()
    )


def test_serve_owns_the_vault_and_mcp_processes_relay_to_it(start: Start):
    server = start("serve", "0")
    assert get(url(server) + "/about")["pid"] == server.pid
    assert start("mcp").shake_hands().call("echo")["pid"] == server.pid


def test_serve_beside_an_mcp_owner_passes_connections_on_to_it(start: Start):
    owner = start("mcp").shake_hands()
    server = start("serve", "0")
    where = url(server)
    assert get(where + "/about") == {"pid": owner.pid, "read_only": False}
    # Another front end with other choices does not get this one's.
    reader = start("serve", "0", "--read-only")
    assert get(url(reader) + "/about") == {"pid": owner.pid, "read_only": True}
    assert get(where + "/about") == {"pid": owner.pid, "read_only": False}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_serve_takes_over_on_the_same_port_when_the_owner_ends(start: Start, how: signal.Signals):
    owner = start("mcp").shake_hands()
    server = start("serve", "0")
    where = url(server)
    assert get(where + "/about")["pid"] == owner.pid
    owner.kill(how)
    owner.wait()

    def taken_over() -> bool:
        try:
            return get(where + "/about")["pid"] == server.pid
        except (urllib.error.URLError, ConnectionError):
            return False

    until(taken_over)
    assert start("mcp").shake_hands().call("echo")["pid"] == server.pid


def test_a_taken_port_is_named_with_the_way_out(start: Start):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        server = start("serve", port)
        assert server.wait(10) == 1
        assert f"Port {port} is taken" in server.complaint()
        assert "--port" in server.complaint()


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_serve_ends_soon_when_it_is_told_to(start: Start, how: signal.Signals, *, beside: bool):
    if beside:
        start("mcp").shake_hands()
    server = start("serve", "0")
    address = url(server).removeprefix("http://").split(":")
    with socket.create_connection((address[0], int(address[1]))) as idle:
        began = time.monotonic()
        server.kill(how)
        assert server.wait(10) == 0
        assert time.monotonic() - began < 6
        with suppress(ConnectionResetError):  # one that was never taken up is reset
            assert idle.recv(1) == b""


def test_bytes_pass_unchanged_through_the_tunnel_many_at_a_time(start: Start):
    owner = start("mcp").shake_hands()
    where = url(start("serve", "0"))
    found: list[int] = []

    def ask() -> None:
        found.extend(get(where + "/about")["pid"] for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [owner.pid] * 80


def test_no_port_is_open_where_only_mcp_processes_run(start: Start):
    owner = start("mcp").shake_hands()
    opened = {
        os.readlink(f"/proc/{owner.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{owner.pid}/fd")
    }
    inodes = {name[8:-1] for name in opened if name.startswith("socket:")}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
        assert not inodes & {row[9] for row in rows}


def test_a_client_that_breaks_off_ends_nothing_but_its_own_connection():
    """uvloop raises another error than asyncio where one direction of a closed one is ended."""

    async def copy_to_one_that_is_gone() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            ends: list[tuple[SocketStream, socket.socket]] = []
            for _ in range(2):
                near = await anyio.connect_tcp(*listener.getsockname())
                ends.append((near, listener.accept()[0]))
        (source, other), (target, gone) = ends
        other.close()
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.close()  # a reset
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                await target.send(b"until the reset is noticed")
                await anyio.sleep(0)
        await copy(source, target)
        await source.aclose()
        await target.aclose()

    anyio.run(copy_to_one_that_is_gone, backend_options={"use_uvloop": True})
