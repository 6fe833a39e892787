"""Whoever has an access token for some folders meets an application over these alone.

Each view has an application of its own, made when it is first asked for, over the part of the vault
that it shows. What is not named in `required.is_offered_for_part` is closed to all of them.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio
from anyio.abc import TaskGroup, TaskStatus
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from commonplace.core.view import View
from commonplace.errors import CommonplaceError, Forbidden, Unavailable
from commonplace.server.access.identity import token_of
from commonplace.server.access.required_scopes import is_offered_for_part
from commonplace.server.api.answers import refusal
from commonplace.vault.supervisor import tell_failure

VIEWS_MAX = 100
_SOCKET_CODES = {403: 4403}

Make = Callable[[View], AbstractAsyncContextManager[ASGIApp]]


class Parts:
    """The applications of all views that somebody has asked for."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._apps: dict[View, ASGIApp] = {}
        self._one = anyio.Lock()
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Let applications be made and kept for a while."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()

    async def app(self, view: View) -> ASGIApp:
        """Return the application of a view."""
        async with self._one:
            if view not in self._apps:
                if self._tasks is None or len(self._apps) >= VIEWS_MAX:
                    raise Unavailable(
                        f"{VIEWS_MAX} choices of folders are in use. Give tokens the same folders."
                    )
                self._apps[view] = await self._tasks.start(self._hold, view)
        return self._apps[view]

    async def _hold(self, view: View, *, task_status: TaskStatus[ASGIApp]) -> None:
        """Hold an application in one task from first to last; if it fails, the others go on."""
        started = False
        try:
            async with self._make(view) as app:
                task_status.started(app)
                started = True
                await anyio.sleep_forever()
        except Exception as error:
            if not started:
                raise  # to the one who asked for it
            tell_failure("What serves a token for folders failed; it is made anew.", error)
        finally:
            self._apps.pop(view, None)


class PartApp:
    """An ASGI app that sends each to the part of the vault that its token shows."""

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self._app = app
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        token = token_of(scope)
        if token is None or not token.view.limited:
            await self._app(scope, receive, send)
        elif not is_offered_for_part(scope["path"]):
            await _refuse(token.view, scope, receive, send)
        else:
            try:
                app = await self._parts.app(token.view)
            except CommonplaceError as error:
                status, body = refusal(error)
                await _answer(status, body, scope, receive, send)
            else:
                await app(scope, receive, send)


async def _refuse(view: View, scope: Scope, receive: Receive, send: Send) -> None:
    text = f"This access token reaches {view.reach} only; what was asked for is not offered to it."
    status, body = refusal(Forbidden(text))
    await _answer(status, body, scope, receive, send)


async def _answer(
    status: int, body: dict[str, object], scope: Scope, receive: Receive, send: Send
) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _SOCKET_CODES.get(status, 1013)})
    else:
        await JSONResponse(body, status)(scope, receive, send)
