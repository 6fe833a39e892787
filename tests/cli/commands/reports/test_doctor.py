"""`commonplace doctor`: what is wrong, and how to mend it."""

import json
from pathlib import Path

from tests.cli.commands.conftest import Say


def test_a_new_vault_has_nothing_wrong(say: Say) -> None:
    checks = json.loads(say("doctor", "--json"))
    assert {"index", "notes", "log"} <= {check["name"] for check in checks}
    assert [check for check in checks if not check["ok"]] == []


def test_what_is_wrong_is_named(say: Say, notes: Path) -> None:
    (notes / "latin.md").write_bytes(b"caf\xe9")
    say("index")
    assert "latin.md" in say("doctor", code=1)


def test_a_vault_that_is_not_there_is_a_finding(say: Say) -> None:
    assert "No such folder: nowhere" in say("doctor", "nowhere", code=1)
