"""Faults of the disk, put in from the kernel's side of each call."""

import shutil

import pytest

from tests.debian import install_missing


def failing(calls: str, when: str, paths: list[str]) -> list[str]:
    """Return what to put before a command, so that these calls on these files fail."""
    places = [word for path in paths for word in ("-P", path)]
    inject = ["-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO:when={when}"]
    return [_strace(), "-f", "-qq", "-o", "/dev/null", *places, *inject]


def _strace() -> str:
    """Find strace; as root on Debian, install it."""
    install_missing(lambda: [] if shutil.which("strace") else ["strace"])
    found = shutil.which("strace")
    if found is None:
        pytest.fail("These tests need strace: apt-get install strace", pytrace=False)
    return found
