"""The product as a process: `commonplace serve` on a vault with one note."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Self

from tests.live.notes import MIXED
from tests.wait import PATIENCE, until


class Product:
    """`commonplace serve` on a vault of its own."""

    def __init__(self, folder: Path, text: str = MIXED, *flags: str) -> None:
        self.folder = folder / "vault"
        self.folder.mkdir()
        self.note = self.folder / "note.md"
        self.note.write_text(text, encoding="utf-8")
        self._flags = flags
        self.under: list[str] = []
        """A program to run the server with."""
        self.state = folder / "state"
        self.env = os.environ | {"COMMONPLACE_STATE": str(self.state)}
        self._complaints = folder / "stderr"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._port: int = listener.getsockname()[1]
        self.http = f"http://127.0.0.1:{self._port}"
        self.ws = f"ws://127.0.0.1:{self._port}/sync"
        self.sweet = f"ys://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        ended = self._process.poll()
        self.stop(signal.SIGTERM)
        assert ended is None, (ended, self._complaints.read_text("utf-8")[-5000:])

    def start(self) -> None:
        with self._complaints.open("ab") as complaints:
            self._process = subprocess.Popen(
                [*self.under, *self.command("serve"), "--port", str(self._port), *self._flags],
                env=self.env,
                stderr=complaints,
            )
        try:
            until(self._answers)
        except AssertionError:
            self.stop(signal.SIGKILL)
            raise

    def _answers(self) -> bool:
        assert self._process.poll() is None, "the server ended"
        try:
            self.ask("/healthz")
        except OSError:
            return False
        return True

    def command(self, name: str) -> list[str]:
        """A command of ours on this vault."""
        return [sys.executable, "-m", "commonplace", name, str(self.folder)]

    def stop(self, how: signal.Signals) -> None:
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        if self.under:
            os.kill(int(children.read_text()), how)
        else:
            self._process.send_signal(how)
        self._process.wait(PATIENCE)

    def ask(self, place: str, /, **query: str) -> Any:
        url = f"{self.http}{place}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return json.load(answer)

    def tell(self, place: str, /, **body: str) -> Any:
        """Ask for a change."""
        request = urllib.request.Request(
            f"{self.http}{place}",
            json.dumps(body).encode(),
            {"X-Commonplace": "1", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def document(self) -> str:
        return self.ask("/api/document", path="note.md")["id"]

    def settled_file(self, text: str) -> None:
        """Wait until the file has this text."""
        until(lambda: self.note.read_text(encoding="utf-8") == text)
