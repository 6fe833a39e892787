"""HTTP on sockets that are already bound: uvicorn, as a part of a bigger program.

It leaves signals to the program, prints nothing, and says when it is ready.
"""

import contextlib
import socket
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager

import anyio
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from commonplace.server.owner.half_open import HalfOpen, watched
from commonplace.server.owner.interpreter import run_as_server

FRAME_MAX = 8 * 1024 * 1024
_CLOSING_SECONDS_MAX = 1


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@asynccontextmanager
async def serving(
    app: ASGIApp, sockets: Sequence[socket.socket], half_open: HalfOpen | None = None
) -> AsyncGenerator[None]:
    """Serve an app on these sockets, from when the body begins until it ends."""
    half_open = HalfOpen() if half_open is None else half_open
    server = _Server(
        uvicorn.Config(
            watched(app),
            http=half_open.protocol(HttpToolsProtocol),
            ws="websockets-sansio",
            ws_max_size=FRAME_MAX,
            ws_per_message_deflate=False,
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_CLOSING_SECONDS_MAX,
        )
    )
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve, list(sockets))
        await server.ready.wait()
        run_as_server()
        try:
            yield
        finally:
            server.should_exit = True
