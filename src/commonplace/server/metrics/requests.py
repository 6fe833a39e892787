"""Counts what an application answers, before anything else looks at a request."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.server.metrics.counts import Counters

_STARTS = frozenset(("http.response.start", "websocket.http.response.start"))
_OPENED = 101
_REFUSED = 403


class RequestCounter:
    """An ASGI app whose answers are counted when they begin: a stream may never end."""

    def __init__(self, app: ASGIApp, counts: Counters) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path, counts, opened = scope["path"], self._counts, False

        async def counted(message: Message) -> None:
            nonlocal opened
            kind = message["type"]
            if kind in _STARTS:
                counts.add_request(path, message["status"])
            elif kind == "websocket.accept":
                opened = True
                counts.add_request(path, _OPENED)
            elif kind == "websocket.close" and not opened:
                counts.add_request(path, _REFUSED)
            await send(message)

        await self._app(scope, receive, counted)
