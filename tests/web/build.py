"""The page, built before the first test that needs it, and its development packages."""

import fcntl
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests import node

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
STATIC = ROOT / "src" / "commonplace" / "server" / "static"


def packages() -> Path:
    """Install what `web/` locks, unless it is there; give its `node_modules`."""
    with (WEB / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (WEB / "node_modules" / ".bin" / "esbuild").exists():
            _run(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"])
    return WEB / "node_modules"


def build() -> None:
    """Build the page into the package unless it is current."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    packages()
    with (WEB / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, wanted = STATIC / hook.STAMP, hook.source_hash(WEB)
        if not stamp.is_file() or stamp.read_text() != wanted:
            _run(["run", "build"])
            stamp.write_text(wanted)


def _run(arguments: Sequence[str]) -> None:
    npm = shutil.which("npm")
    found = node.node()
    command = (
        [npm]
        if npm
        else [str(found), str(found.parents[1] / "lib/node_modules/npm/bin/npm-cli.js")]
    )
    path = os.pathsep.join((os.environ["PATH"], str(found.parent)))
    done = subprocess.run(
        [*command, *arguments],
        cwd=WEB,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
