"""A real `commonplace serve` on a vault of its own, in another process."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.wait import PATIENCE, until


def write(folder: Path, notes: Mapping[str, str]) -> None:
    """Put notes into a folder."""
    for path, text in notes.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


class Server:
    """A running server, which can be stopped and started again on the same port."""

    def __init__(self, vault: Path, state: Path, *more: str) -> None:
        self.vault, self.state, self._more = vault, state, more
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self.url = ""

    def start(self) -> None:
        command = [sys.executable, "-m", "commonplace", "serve", str(self.vault), "--json"]
        command += ["--port", str(self._port), *self._more]
        environment = os.environ | {"COMMONPLACE_STATE": str(self.state)}
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )
        assert self._process.stdout is not None
        self.url = json.loads(self._process.stdout.readline())["url"]
        self._port = int(self.url.rpartition(":")[2])
        until(self._is_ready)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE)
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def _is_ready(self) -> bool:
        try:
            with urlopen(f"{self.url}/readyz") as answer:
                return answer.status == 200
        except (URLError, ConnectionError):
            return False


@contextmanager
def serving(folder: Path, notes: Mapping[str, str], *more: str) -> Generator[Server]:
    """Serve some notes, with all state beneath `folder`."""
    vault = folder / "vault"
    vault.mkdir(exist_ok=True)
    write(vault, notes)
    server = Server(vault, folder / "state", *more)
    server.start()
    try:
        yield server
    finally:
        server.stop()
