"""The HTTP apps of an owner, one for each set of choices that a front end came with.

A `serve` process that is not the owner passes its connections on to a Unix socket of the owner;
read-only there must not mean read-only for another front end, so each set of choices has a socket
of its own, started on first demand.
"""

import hashlib
import json
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup, TaskStatus

from commonplace.vault.owner import listen, socket_folder
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MakeApp = Callable[[Settings], Awaitable["ASGIApp"]]


class Web:
    """The HTTP apps that were asked for: one for each set of choices, on a socket of its own."""

    def __init__(self, settings: Settings, app: MakeApp, tasks: TaskGroup) -> None:
        self._settings, self._app, self._tasks = settings, app, tasks
        self._closing = anyio.Event()
        self._starting = anyio.Lock()
        self._names: set[str] = set()
        self.urls: tuple[str, ...] = ()

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, app: MakeApp) -> AsyncGenerator["Web"]:
        """Serve nothing yet; end what was started meanwhile."""
        async with anyio.create_task_group() as tasks:
            web = cls(settings, app, tasks)
            yield web
            web._closing.set()

    async def start(self, own: Settings, listeners: Sequence[socket.socket]) -> None:
        """Serve on TCP sockets, for as long as the owner lives."""
        await self._tasks.start(self._run, await self._app(own), listeners)
        self.urls = tuple(map(url, listeners))

    async def name_of(self, own: Settings) -> str:
        """Say which Unix socket serves these choices; start it on first demand."""
        name = f"http-{_digest(own)}.sock"
        async with self._starting:
            if name not in self._names:
                app = await self._app(own)
                listener = listen(socket_folder(self._settings) / name)
                await self._tasks.start(self._run, app, [listener])
                self._names.add(name)
        return name

    async def _run(
        self, app: "ASGIApp", sockets: Sequence[socket.socket], *, task_status: TaskStatus[None]
    ) -> None:
        from commonplace.server.owner.uvicorn import serving

        async with serving(app, sockets):
            task_status.started()
            await self._closing.wait()


def url(listener: socket.socket) -> str:
    """Write the address of a listening TCP socket as people paste it."""
    address, port = listener.getsockname()[:2]
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


def _digest(own: Settings) -> str:
    access = asdict(own.access)
    choices = json.dumps([own.families, own.read_only, sorted(own.policies.items()), access])
    return hashlib.sha256(choices.encode()).hexdigest()[:8]
