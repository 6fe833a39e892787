"""A real `serve` over a folder, and `checkout` of what it has, each a process of its own."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Self

from tests.server.processes import HERE, Process
from tests.wait import PATIENCE, until

Files = dict[str, bytes]


class ServedVault:
    """A vault on a port that stays the same when the server is killed and started again."""

    def __init__(self, folder: Path, files: Files, *more: str) -> None:
        self.vault, self.state = folder / "vault", folder / "state"
        fill(self.vault, files)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._more = more
        self.process: Process | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        self.process = Process(
            *(sys.executable, "-m", "commonplace", "serve", str(self.vault), "--no-open"),
            *("--state", str(self.state), "--port", str(self.port), "--embeddings", "none"),
            *self._more,
        )
        until(self._answers)

    def kill(self) -> None:
        if self.process is not None:
            self.process.__exit__()
            self.process = None

    def _answers(self) -> bool:
        assert self.process is not None
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=PATIENCE) as answer:
                return answer.status == 200
        except OSError:
            assert self.process.process.poll() is None, self.process.complaint()
            return False

    def token(self, scope: str) -> str:
        """Make an access token for the vault."""
        words = ("token", "create", scope, str(self.vault), "--scope", scope, "--json")
        made = command(*words, "--state", str(self.state))
        return json.loads(made.stdout)["token"]


def command(*words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of ours to its end."""
    return subprocess.run(
        [sys.executable, "-m", "commonplace", *words],
        cwd=HERE,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


class Copy:
    """A person's folder, on a machine with a state folder of its own."""

    def __init__(self, folder: Path, url: str, name: str = "copy", token: str = "") -> None:
        self.folder, self._state = folder / name, folder / f"state of {name}"
        self.url = url
        self._env = {"COMMONPLACE_TOKEN": token} if token else {}

    def words(self, *more: str) -> list[str]:
        return [
            *("checkout", self.url, str(self.folder), "--json"),
            *("--state", str(self._state), *more),
        ]

    def once(self, *more: str) -> list[dict[str, Any]]:
        """Bring both together once; return what was told."""
        done = self.tried(*more)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def tried(self, *more: str) -> subprocess.CompletedProcess[str]:
        return command(*self.words("--once", *more), env=self._env)

    def running(self, module: str = "commonplace", *more: str) -> "RunningCopy":
        return RunningCopy(sys.executable, "-m", module, *self.words(*more), env=self._env)

    def files(self) -> Files:
        return files_in(self.folder)


class RunningCopy(Process):
    """`checkout` that goes on; what it tells is JSON, a line each."""

    def told(self, event: str = "") -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in list(self.out)]
        return [row for row in rows if not event or row["event"] == event]

    def wait_for(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        def heard() -> list[dict[str, Any]]:
            assert self.process.poll() is None, self.complaint()
            found = self.told(event)
            return found if len(found) >= count else []

        return until(heard)


def fill(folder: Path, files: Files) -> None:
    """Write files, their folders as well."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def files_in(folder: Path) -> Files:
    """Every file beneath a folder that is not hidden."""
    found: Files = {}
    for file in folder.rglob("*"):
        inside = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in inside.parts):
            try:
                found[inside.as_posix()] = file.read_bytes()
            except FileNotFoundError:
                continue
    return found


def hidden_in(folder: Path) -> list[str]:
    """What is hidden beneath a folder."""
    return sorted(str(one.relative_to(folder)) for one in folder.rglob(".*"))
