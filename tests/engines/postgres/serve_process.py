"""`commonplace serve --database` as a process, and who of several is the owner."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.wait import PATIENCE, until

MAKE_KEY = (
    *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
    *("-nodes", "-days", "3650", "-subj", "/CN=commonplace"),
)


def make_key(folder: Path) -> Path:
    """A certificate and its key, as the guide says to make them."""
    key = folder / "node.pem"
    subprocess.run(
        [*MAKE_KEY, "-keyout", str(key), "-out", str(key)],
        check=True,
        capture_output=True,
    )
    return key


class ServeProcess:
    """A node with a folder, a state folder and a port of its own; without a database, a server
    by itself over a folder that others may have had."""

    module = "commonplace"
    prefix: tuple[str, ...] = ()

    def __init__(
        self,
        name: str,
        folder: Path,
        url: str = "",
        key: Path | None = None,
        *more: str,
        vaults: bool = False,
        idle_seconds: float = 300.0,
    ) -> None:
        self.state = folder / f"state of {name}"
        self.notes = folder / (f"notes of {name}" if key else "notes")
        self.vaults = folder / f"vaults of {name}"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self.http = f"http://127.0.0.1:{self.port}"
        self.ws = f"ws://127.0.0.1:{self.port}/sync"
        self.sweet = f"ys://127.0.0.1:{self.port}"
        self._complaints = folder / f"complaints of {name}"
        self._command = [*self.prefix, sys.executable, "-m", self.module, "serve"]
        if vaults:
            self._command += ["--vaults", str(self.vaults)]
            self._command += ["--close-after", str(idle_seconds / 60)]
        else:
            self._command.append(str(self.notes))
        self._command += ["--state", str(self.state), "--port", str(self.port), "--no-open"]
        self._command += ["--embeddings", "none", "--policy", "create=allow"]
        if key and not vaults:
            self._command += ["--vault-name", "team"]
        if key:
            self._command += ["--node", "127.0.0.1:0", "--node-key", str(key)]
        self._command += more
        self._env = {**os.environ, "COMMONPLACE_DATABASE": url}

    def __enter__(self) -> Self:
        self.start()
        self.wait_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        sys.stderr.write(self.complaints)

    @property
    def complaints(self) -> str:
        return self._complaints.read_text("utf-8")

    def start(self) -> None:
        with self._complaints.open("ab") as complaints:
            self.process = subprocess.Popen(self._command, env=self._env, stderr=complaints)

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        self.process.send_signal(how)

    def wait_ready(self) -> None:
        until(self.answers)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.http}/healthz", timeout=PATIENCE) as answer:
                return answer.status == 200
        except OSError:
            assert self.process.poll() is None, self.complaints
            return False


def owner_of(url: str, nodes: list[ServeProcess]) -> ServeProcess | None:
    """The node that has the vault's lease now."""
    with psycopg.connect(url) as connection:
        row: Any = connection.execute(
            "SELECT node FROM commonplace.leases WHERE until > clock_timestamp()"
        ).fetchone()
    pid = int(row[0].rpartition(":")[2]) if row else 0
    return next((node for node in nodes if node.process.pid == pid), None)
