"""A server of embeddings that knows a few synonyms: texts that mean the same point the same way.

It can be made to fail, to be slow, and to change its dimensions, as real ones do.
"""

import json
import re
import threading
import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from commonplace.vault.settings import Embeddings

SYNONYMS = {
    "automobile": "car",
    "vehicle": "car",
    "feline": "cat",
    "kitten": "cat",
    "physician": "doctor",
}


@dataclass
class Behaviour:
    """How the server answers, and what it was asked."""

    dimensions: int = 256
    failing: bool = False
    seconds: float = 0.0
    texts: list[str] = field(default_factory=list[str])
    url: str = ""

    @property
    def embeddings(self) -> Embeddings:
        return Embeddings(self.url, "words")

    def vector(self, text: str) -> list[float]:
        found = [0.001] * self.dimensions
        for word in re.findall(r"[a-z]+", text.lower()):
            meant = SYNONYMS.get(str(word), str(word))
            found[zlib.crc32(meant.encode()) % self.dimensions] += 1.0
        return found


@contextmanager
def serving() -> Generator[Behaviour]:
    behaviour = Behaviour()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(behaviour.seconds)
            behaviour.texts += body["input"]
            rows = [
                {"index": n, "embedding": behaviour.vector(text)}
                for n, text in enumerate(body["input"])
            ]
            answer = json.dumps({"data": rows}).encode()
            self.send_response(500 if behaviour.failing else 200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base names it
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    behaviour.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield behaviour
    finally:
        server.shutdown()
        server.server_close()
