"""`commonplace index`: the index brought up to date now."""

import json
from pathlib import Path

from tests.cli.commands.conftest import Say


def test_it_is_built_brought_up_to_date_and_made_anew(say: Say, notes: Path) -> None:
    assert say("index").startswith("2 notes are indexed (")
    (notes / "New.md").write_text("new")
    (notes / "あ.md").unlink()
    (notes / "Third.md").write_text("third")
    for words in ((), ("--rebuild",)):
        found = json.loads(say("index", *words, "--json"))
        assert found["index"]["notes"] == 3
        assert found["seconds"] >= 0


def test_an_empty_vault_has_an_index_too(say: Say, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert say("index", str(tmp_path / "empty")).startswith("0 notes are indexed")
