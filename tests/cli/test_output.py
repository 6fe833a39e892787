import io
import json

import pytest

from commonplace.cli.output import safe, show_json


def test_text_from_a_vault_cannot_drive_the_terminal():
    assert safe("a\x1b[31mb\nc\td\u202ee\udcff") == "a<U+001B>[31mb c d<U+202E>e<U+DCFF>"
    assert safe("日本語 😀 é") == "日本語 😀 é"


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
