"""Fetches one wheel from the Python package index, with the person's own pip.

pip knows their index, proxy and certificates, which this program cannot; its dependencies stay
where they are. What arrives is the pinned file or nothing.
"""

import hashlib
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from commonplace.errors import Unavailable

SECONDS_MAX = 1800

_OPTIONS = [
    "--no-deps",
    "--only-binary=:all:",
    "--no-cache-dir",
    "--no-input",
    "--disable-pip-version-check",
    "--quiet",
]


def fetch_wheel(requirement: str, sha256: str, into: Path) -> Path:
    """Download a wheel into a folder and check it."""
    command = [*_pip(), "download", *_OPTIONS, "--dest", str(into), requirement]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"Fetching {requirement} took too long. Try again later.") from None
    wheel = next(into.glob("*.whl"), None)
    if done.returncode or wheel is None:
        raise Unavailable(
            f"{requirement} could not be fetched: {_reason(done.stderr)}. Check the network (or"
            " pip's index setting) and try again."
        )
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise Unavailable(
            f"The package index gave another file for {requirement} than the published one"
            f" (sha256 {found}). Nothing was installed."
        )
    return wheel


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
