"""How far a long command has come, where nobody sits at a terminal."""

import pytest

from commonplace.cli import progress


def test_without_a_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    with progress.shown("Indexing") as shown:
        shown(1, 9)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
        shown(5, 9)
    assert capsys.readouterr().err == "commonplace: Indexing: 5 of 9\n"
