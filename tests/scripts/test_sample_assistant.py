"""The sample assistant of `make run` leaves something to decide in a copy of the demo."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace.core import critic

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[2]
_NOTE = "Sandbox/Garden plan.md"


def test_the_demo_has_suggestions_a_comment_and_a_question(tmp_path: Path) -> None:
    vault = tmp_path / "demo"
    shutil.copytree(_ROOT / "demo", vault)
    environment = os.environ | {"COMMONPLACE_STATE": str(tmp_path / "state")}

    def run(*words: str) -> str:
        command = [sys.executable, *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(str(_ROOT / "scripts" / "sample_assistant.py"), str(vault))
    text = (vault / _NOTE).read_text(encoding="utf-8")
    assert len(critic.suggestions(text)) >= 3
    assert len(critic.parse(text).comments) == 1
    before = (_ROOT / "demo" / _NOTE).read_text(encoding="utf-8")
    assert critic.base(text).replace("kitchen \n", "kitchen\n") == before
    waiting = run("-m", "commonplace", "approvals", str(vault), "--list")
    assert "Sandbox/Seeds to buy.md" in waiting
    assert "Sample assistant" in waiting
    assert not (vault / "Sandbox/Seeds to buy.md").exists()
