import io
import json

import pytest

from commonplace.cli import progress
from commonplace.cli.output import safe, show_json


def test_text_from_a_vault_cannot_drive_the_terminal():
    assert safe("a\x1b[31mb\nc\td\u202ee\udcff") == "a<U+001B>[31mb c d<U+202E>e<U+DCFF>"
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


@pytest.mark.parametrize(("encoding", "written"), [("utf-8", "Größe 日"), ("ascii", "\\u00")])
def test_json_is_readable_where_the_terminal_can_show_it(
    monkeypatch: pytest.MonkeyPatch, encoding: str, written: str
):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", out)
    show_json(
        {"name": "Größe 日", "odd": "\udcff"} if encoding == "ascii" else {"name": "Größe 日"}
    )
    out.flush()
    said = out.buffer.getvalue().decode(encoding)
    assert written in said
    assert json.loads(said)["name"] == "Größe 日"
