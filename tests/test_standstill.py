"""A run in which a worker is stopped ends, and says so; nothing else would end it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.standstill import SECONDS

_HERE = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")


def test_a_worker_that_is_stopped_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        f"import sys\nsys.path.insert(0, {str(_HERE)!r})\n"
        "from tests.conftest import pytest_configure as pytest_configure\n"
    )
    (tmp_path / "test_stops.py").write_text(
        "import os, signal\n\n\ndef test_stops():\n    os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, SECONDS: "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 3, done.stdout
    assert "Nothing has ended for 1 s" in done.stderr
    assert ": state T," in done.stderr
    assert "standstill.py" in done.stderr  # the process that waits, and where
