"""`/metrics`, where a monitor asks."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from commonplace.server.metrics.registry import Source
from commonplace.server.metrics.text import CONTENT_TYPE, render


def metrics_route(source: Source) -> Route:
    """Make the route at which a monitor asks."""

    async def answer(_: Request) -> Response:
        return PlainTextResponse(render(source()), media_type=CONTENT_TYPE)

    return Route("/metrics", answer)
