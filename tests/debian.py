"""Debian's packages, for tests that need a program which the machine may lack."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

_LOCK = Path(__file__).parents[1] / "build" / "packages.lock"


def install_missing(missing: Callable[[], list[str]]) -> None:
    """As root on Debian, install the packages that are missing; elsewhere do nothing.

    One process at a time: `apt-get` fails where another is at work, and the workers of a test run
    all begin at once. What is missing is asked again once it is our turn.
    """
    if not missing() or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    _LOCK.parent.mkdir(exist_ok=True)
    with _LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if packages := missing():
            _run("update", "-q")
            _run("install", "-y", "-q", "--no-install-recommends", *packages)


def _run(*words: str) -> None:
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    # Whether it helped is for the caller to see: a package may be there without its newest list.
    subprocess.run(["apt-get", *words], check=False, capture_output=True, env=quiet)
