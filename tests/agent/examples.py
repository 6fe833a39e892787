"""The example agents of the protocol's own package, which are in its source and not in its wheel.

The source is the one that `requirements.txt` locks, checked against the hashes there; pip brings it
once, into `.node` beside the packages from npm.
"""

import fcntl
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

from tests.node import HOME

PACKAGE = "agent-client-protocol"
REQUIREMENTS = Path(__file__).parents[2] / "requirements.txt"
SECONDS_MAX = 300.0


def examples() -> Path:
    """Return the folder of the examples of the version that is installed."""
    target = HOME / f"acp-examples-{version(PACKAGE)}"
    HOME.mkdir(exist_ok=True)
    with (HOME / "acp-examples.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _bring(target)
    return target


def _bring(target: Path) -> None:
    half = target.with_name(f"half-{target.name}")
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir()
    locked = half / "requirements.txt"
    locked.write_text(_locked())
    words = ["--no-deps", "--no-binary", PACKAGE, "--require-hashes", "-r", str(locked)]
    pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, *words, "-d", str(half)],
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, f"pip could not bring the examples:\n{done.stderr}"
    [source] = half.glob("*.tar.gz")
    with tarfile.open(source) as opened:
        opened.extractall(half, filter="data")
    [found] = half.glob("*/examples")
    found.rename(target)
    shutil.rmtree(half)


def _locked() -> str:
    """Return the lines that lock the package, hashes and all."""
    lines = REQUIREMENTS.read_text().splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{PACKAGE}=="))
    end = next(at for at in range(start, len(lines)) if not lines[at].endswith("\\"))
    return "\n".join(lines[start : end + 1]) + "\n"
