"""Nothing that a test started outlives the process that ran it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.orphans import is_running
from tests.wait import until

_HERE = Path(__file__).parents[1]
# Starts processes as tests do, in sessions and with an environment of their own, and dies.
_STARTS = """
import os, signal, subprocess, sys
from tests import orphans
if sys.argv[1] == "kept": orphans.keep()
else: os.environ.pop(orphans.VARIABLE, None)
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
first = subprocess.Popen(["sleep", "600"], env={**os.environ, "MORE": "1"}, **quiet)
second = subprocess.Popen(["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE)
print(first.pid, second.pid, int(second.stdout.readline()), flush=True)
os.kill(os.getpid(), signal.Signals[sys.argv[2]])
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the keeper works on Linux alone")


def _start(how: str, by: str) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", _STARTS, how, by], cwd=_HERE, stdout=subprocess.PIPE, text=True
    )
    assert done.returncode == -signal.Signals[by]
    return [int(word) for word in done.stdout.split()]


@pytest.mark.parametrize("by", ["SIGKILL", "SIGSEGV", "SIGTERM"])
def test_what_a_killed_process_started_ends(by: str) -> None:
    started = _start("kept", by)
    assert len(started) == 3
    until(lambda: not any(map(is_running, started)))


def test_without_a_keeper_it_stays() -> None:
    started = _start("left", "SIGKILL")
    try:
        assert all(map(is_running, started))
    finally:
        for pid in started:
            os.kill(pid, signal.SIGKILL)


def test_a_crashed_worker_ends_the_run(tmp_path: Path) -> None:
    """`make test` gives this flag: without it a new worker runs into the same crash, for ever."""
    assert "--max-worker-restart=0" in (_HERE / "Makefile").read_text("utf-8")
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text("def test_well():\n    pass\n")
    (tmp_path / "test_b.py").write_text(
        "import os, signal\n\n\ndef test_dies():\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
    command += ["--max-worker-restart=0", "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [*command, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert "crashed while running 'test_b.py::test_dies'" in done.stdout
