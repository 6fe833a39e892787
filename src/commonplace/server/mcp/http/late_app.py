"""The SDK's application, loaded when a request first needs it.

Loading the SDK takes as long as opening a small vault. The page, live documents and whatever is
answered directly need none of it.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import ASGIApp, Receive, Scope, Send

from commonplace.server.access.guard import Guard
from commonplace.server.mcp.late_server import GetServer


class LateApp:
    """An ASGI application: the SDK's, which is there from the first request on."""

    def __init__(self, get_server: GetServer, guard: Guard, sessions_max: int) -> None:
        self._get_server = get_server
        self._guard = guard
        self._sessions_max = sessions_max
        self._app: ASGIApp | None = None
        self._one = anyio.Lock()
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Let sessions begin and last for a while."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = None
                tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        app = self._app or await self._start()
        await app(scope, receive, send)

    async def _start(self) -> ASGIApp:
        async with self._one:
            if self._app is not None:
                return self._app
            assert self._tasks is not None, "`running` is over, or was never entered"
            self._app = app = await self._tasks.start(self._hold)
            return app

    async def _hold(self, *, task_status: TaskStatus[ASGIApp]) -> None:
        """Hold the SDK's sessions in one task from first to last."""
        server = await self._get_server()
        from commonplace.server.mcp.http.sdk_app import sdk_app

        app = sdk_app(server, self._guard, self._sessions_max)
        async with server.session_manager.run():
            task_status.started(app)
            await anyio.sleep_forever()
