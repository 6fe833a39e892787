"""Real processes to test with: a client of `mcp`, a running `serve`, and waiting for either."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections import Counter
from pathlib import Path
from typing import IO, Any, Self

from tests.wait import PATIENCE, until

HERE = Path(__file__).parents[2]
STANDIN = (sys.executable, "-m", "tests.server.standin")


class Process:
    """A process with pipes, ended with the test."""

    def __init__(self, *command: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=HERE,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.out: list[bytes] = []
        self.err: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read, args=[self.process.stdout, self.out]),
            threading.Thread(target=self._read, args=[self.process.stderr, self.err]),
        ]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream: IO[bytes], into: list[bytes]) -> None:
        into.extend(iter(stream.readline, b""))

    @property
    def pid(self) -> int:
        return self.process.pid

    def write(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def close_stdin(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def kill(self, how: int = signal.SIGKILL) -> None:
        self.process.send_signal(how)

    def wait(self, seconds: float = PATIENCE) -> int:
        code = self.process.wait(seconds)
        for reader in self._readers:
            reader.join(seconds)
        return code

    def complaint(self) -> str:
        return b"".join(self.err).decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class Client(Process):
    """An MCP client, as far as JSON-RPC goes."""

    def __init__(self, *command: str, env: dict[str, str] | None = None) -> None:
        super().__init__(*command, env=env)
        self.asked = 0

    def ask(self, method: str, **params: Any) -> int:
        self.asked += 1
        self.tell({"id": self.asked, "method": method, "params": params})
        return self.asked

    def tell(self, message: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def heard(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in list(self.out)]

    def answers(self, ident: object) -> list[dict[str, Any]]:
        return [m for m in self.heard() if m.get("id") == ident and "method" not in m]

    def answer(self, ident: object) -> dict[str, Any]:
        return until(lambda: self.answers(ident))[0]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        found = self.answer(self.ask(method, **params))
        assert "result" in found, found
        return found["result"]

    def shake_hands(self) -> Self:
        self.call("initialize")
        self.tell({"method": "notifications/initialized"})
        return self

    def answer_counts(self) -> Counter[int]:
        return Counter(m["id"] for m in self.heard() if "method" not in m)


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return json.load(answer)
