"""A server that may open few files, to be attacked by slow clients.

Run as `python -m tests.server.owner.slow_target FILES [bare]`; it tells its port, and ends with its
input. `bare` is the web server without bounds on half-open connections.
"""

import resource
import socket
import sys

import anyio
import anyio.to_thread
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from commonplace.server.owner.uvicorn import serving


async def hello(request: Request) -> Response:
    """Say how much was sent."""
    return PlainTextResponse(f"hello {len(await request.body())}")


async def main(*, bare: bool) -> None:
    app = Starlette(routes=[Route("/", hello, methods=["GET", "POST"])])
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    if bare:
        config = uvicorn.Config(app, http="httptools", log_config=None)
        await uvicorn.Server(config).serve([listener])
    else:
        async with serving(app, [listener]):
            await anyio.to_thread.run_sync(sys.stdin.read)


if __name__ == "__main__":
    files = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    anyio.run(lambda: main(bare="bare" in sys.argv), backend_options={"use_uvloop": True})
