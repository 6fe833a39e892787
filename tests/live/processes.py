"""The processes of a live test: our server, and Node with clients that others wrote."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Self

from tests import node
from tests.wait import PATIENCE, until

HERE = Path(__file__).parent


def node_script(name: str) -> str:
    """Read what Node is to run; how its programs wait stands before each."""
    return "".join((HERE / f"{each}.mjs").read_text("utf-8") for each in ("until", name))


class _Running:
    """A process that ends with the test, and what it complained of."""

    def __init__(self, command: Sequence[str], cwd: Path) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        assert self.process.stderr
        self._complaints: list[bytes] = []
        self._reader = threading.Thread(target=self._read, args=[self.process.stderr])
        self._reader.start()

    def _read(self, stream: IO[bytes]) -> None:
        self._complaints.extend(iter(stream.readline, b""))

    @property
    def complaints(self) -> str:
        return b"".join(self._complaints).decode()

    def end(self, how: int = signal.SIGKILL) -> None:
        self.process.send_signal(how)
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class Clients:
    """Yjs clients in one Node process; see `clients.mjs` for what they can be told."""

    def __enter__(self) -> Self:
        script = node_script("clients")
        command = [str(node.node()), "--input-type=module", "--eval", script]
        self._node = _Running(command, node.installed(HERE))
        return self

    def __exit__(self, *_: object) -> None:
        self._node.end()

    def begin(self, verb: str, **rest: Any) -> None:
        """Tell them something; the answer is for `finish`."""
        assert self._node.process.stdin
        self._node.process.stdin.write(json.dumps({"verb": verb, **rest}).encode() + b"\n")
        self._node.process.stdin.flush()

    def finish(self) -> Any:
        assert self._node.process.stdout
        line = self._node.process.stdout.readline()
        assert line, self._node.complaints
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def tell(self, verb: str, **rest: Any) -> Any:
        self.begin(verb, **rest)
        return self.finish()


class Server:
    """Our server, on a port that stays the same when it is started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self.http = f"http://127.0.0.1:{self.port}"
        self.ws = f"ws://127.0.0.1:{self.port}/sync"
        self.reading = f"ws://127.0.0.1:{self.port}/read/sync"
        self.sweet = f"ys://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        command = [sys.executable, "-m", "tests.live.server", str(self.folder), str(self.port)]
        self._running = _Running(command, HERE.parents[1])
        until(self._answers)

    def _answers(self) -> bool:
        assert self.alive, self._running.complaints
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            self.ask("GET", "/ready")
            return True
        return False

    def stop(self, how: int = signal.SIGTERM) -> None:
        self._running.end(how)

    @property
    def alive(self) -> bool:
        return self._running.process.poll() is None

    @property
    def complaints(self) -> str:
        return self._running.complaints

    def ask(self, method: str, path: str) -> str:
        request = urllib.request.Request(self.http + path, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def text(self, id: str) -> str:
        return self.ask("GET", f"/test/text/{id}")

    def log(self, id: str) -> str:
        return self.ask("GET", f"/test/log/{id}")

    def edit(self, id: str, count: int, seed: int) -> None:
        self.ask("POST", f"/test/edit/{id}?count={count}&seed={seed}")

    @property
    def resident_mb(self) -> float:
        status = Path(f"/proc/{self._running.process.pid}/status").read_text()
        line = next(row for row in status.splitlines() if row.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
