"""The soak for a turn: what it runs works, and it sees a loss."""

import random
from pathlib import Path

import pytest

from tests.live.soak import Kills, Tally, main

pytestmark = pytest.mark.slow


def test_a_turn_finds_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(0) == 0
    assert "| acknowledged edits lost | 0 |" in capsys.readouterr().out


def test_writers_that_speak_too_soon_are_caught(tmp_path: Path) -> None:
    """The control."""
    kills, tally = Kills(tmp_path, random.Random(1), "early"), Tally()
    for _ in range(5):
        if not tally.faults:
            kills.turn(tally)
    assert any("acknowledged edits are lost" in fault for fault in tally.faults)
