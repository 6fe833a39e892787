"""An application on a real port of this machine, served from a thread."""

import socket
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import uvicorn

from tests.wait import until


@contextmanager
def serving(app: Any) -> Generator[str]:
    """Serve the app; give its address, without a slash at the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive(), "the server did not stop"
