"""`serve --metrics`: what a monitor asks for, on an address of its own, without a token.

It tells of this very process. The route `/metrics` of the server does not on a node that is not the
owner: what comes in there goes on to the owner.
"""

import socket

import anyio
from starlette.applications import Starlette

from commonplace.server.metrics.registry import Registry
from commonplace.server.metrics.route import metrics_route


async def answer_monitors(listener: socket.socket, registry: Registry) -> None:
    """Answer until this is cancelled."""
    from commonplace.server.owner.uvicorn import serving

    app = Starlette(routes=[metrics_route(registry.families)])
    with listener:  # cancelled, the web server does not close it
        async with serving(app, [listener]):
            await anyio.sleep_forever()
