"""Slow and silent clients: they are given up, and nobody else has to wait for them."""

import asyncio
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import anyio
import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from commonplace.server.owner.half_open import HEAD_BYTES_MAX, HalfOpen
from commonplace.server.owner.uvicorn import serving
from tests.wait import PATIENCE, eventually

pytestmark = pytest.mark.anyio

FILES = 1_000
SLOW = 1_000
ASKED = 20
HEAD = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


@contextmanager
def target(*options: str) -> Generator[int]:
    """Serve in a process of its own that may open few files; gives its port."""
    command = [sys.executable, "-m", "tests.server.owner.slow_target", str(FILES), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


@contextmanager
def many_files() -> Generator[None]:
    """Let this process open more files than the one it attacks."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 2 * FILES:
        pytest.skip("this machine lets nobody open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2 * FILES), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def failures_beside_slow_clients(port: int, patience: float) -> int:
    """Ask again and again, while a thousand others send a byte now and then."""
    with ExitStack() as stack:
        slow: list[socket.socket] = []
        for number in range(SLOW):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), 10))
            one.setblocking(False)
            one.send(HEAD)
            slow.append(one)
            if number % 50 == 49:
                await anyio.sleep(0.01)
        failed = 0
        for number in range(ASKED):
            for one in slow[number % 10 :: 10]:
                try:
                    one.send(b"x")
                except OSError:
                    continue
            try:
                async with httpx.AsyncClient(timeout=patience, trust_env=False) as client:
                    answer = await client.get(f"http://127.0.0.1:{port}/")
                    failed += answer.text != "hello 0"
            except httpx.TransportError:
                failed += 1
            if failed > 2:
                break
        return failed


async def test_a_thousand_slow_clients_keep_nobody_from_being_answered() -> None:
    with many_files(), target() as port:
        assert await failures_beside_slow_clients(port, patience=20) == 0


async def test_without_the_bound_they_do() -> None:
    """The control."""
    with many_files(), target("bare") as port:
        assert await failures_beside_slow_clients(port, patience=3) > 0


# -- one at a time


@asynccontextmanager
async def site(half_open: HalfOpen) -> AsyncGenerator[tuple[str, int]]:
    async def hello(request: Request) -> Response:
        return PlainTextResponse(f"hello {len(await request.body())}")

    async def stream(_: Request) -> Response:
        async def parts() -> AsyncGenerator[bytes]:
            for _ in range(8):
                yield b"x"
                await anyio.sleep(half_open.head_seconds / 4)

        return StreamingResponse(parts())

    routes = [Route("/", hello, methods=["GET", "POST"]), Route("/stream", stream)]
    listener = socket.create_server(("127.0.0.1", 0))
    async with serving(Starlette(routes=routes), [listener], half_open):
        yield "127.0.0.1", listener.getsockname()[1]


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Tell whether the server closes a connection without a word."""
    with anyio.fail_after(PATIENCE):
        try:
            return await reader.read() == b""
        except ConnectionResetError:
            return True


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET", HEAD, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"],
    ids=["nothing", "a word", "half a head", "half a body"],
)
async def test_a_request_that_is_never_whole_is_given_up(sent: bytes) -> None:
    bounds = HalfOpen(head_seconds=0.2, body_seconds=0.2)
    async with site(bounds) as (host, port):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(sent)
        assert await is_closed(reader)
        assert len(bounds) == 0
        writer.close()


async def test_a_stream_of_bytes_without_an_end_is_no_head() -> None:
    async with site(HalfOpen()) as (host, port):
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(HEAD + b"x" * (2 * HEAD_BYTES_MAX))
        assert await is_closed(reader)
        writer.close()


async def test_whoever_asks_is_answered_however_long_that_takes() -> None:
    bounds = HalfOpen(head_seconds=0.2, body_seconds=0.2)
    async with site(bounds) as (host, port), httpx.AsyncClient(trust_env=False) as client:
        for _ in range(2):  # the second time on the same connection
            assert (await client.get(f"http://{host}:{port}/stream")).text == "x" * 8
        answer = await client.post(f"http://{host}:{port}/", content=b"abc")
        assert answer.text == "hello 3"


async def test_of_too_many_the_oldest_is_given_up_and_one_that_asks_is_not() -> None:
    bounds = HalfOpen(count=3)
    async with site(bounds) as (host, port), httpx.AsyncClient(trust_env=False) as client:
        opened = [await asyncio.open_connection(host, port) for _ in range(3)]
        await eventually(lambda: len(bounds) >= 3)
        assert (await client.get(f"http://{host}:{port}/")).text == "hello 0"
        assert await is_closed(opened[0][0])
        opened[2][1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        with anyio.fail_after(PATIENCE):
            assert (await opened[2][0].readline()).startswith(b"HTTP/1.1 200")
        for _, writer in opened:
            writer.close()
