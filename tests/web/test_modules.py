"""The page's pure modules, tested by Node (`tests/web/node`)."""

import subprocess
from pathlib import Path

import pytest

from tests.node import node
from tests.web.build import WEB, packages


@pytest.mark.slow
def test_the_modules_pass_their_own_tests() -> None:
    packages()
    runner = Path(__file__).parent / "run.mjs"
    done = subprocess.run([node(), runner], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.slow
def test_the_page_passes_the_type_check() -> None:
    packages()
    tsc = WEB / "node_modules" / "typescript" / "bin" / "tsc"
    done = subprocess.run([node(), tsc, "--noEmit"], cwd=WEB, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
