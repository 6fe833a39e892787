import pytest

from commonplace.cli import progress
from commonplace.cli.output import safe


def test_text_from_a_vault_cannot_drive_the_terminal():
    assert safe("a\x1b[31mb\nc\td\u202ee\udcff") == "a�[31mb c d�e�"
    assert safe("日本語 😀 é") == "日本語 😀 é"


def test_without_a_terminal_progress_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    with progress.shown("Indexing") as shown:
        shown(1, 9)
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", -1.0)
        shown(5, 9)
    assert capsys.readouterr().err == "commonplace: Indexing: 5 of 9\n"
