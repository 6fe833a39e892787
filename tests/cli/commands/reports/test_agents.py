"""`commonplace agents`: which agents your settings name, and how to get others."""

import json
import tomllib
from pathlib import Path

from commonplace.agent.settings import KNOWN
from tests.cli.commands.conftest import Say


def test_without_settings_it_says_how_to_add_one(say: Say, tmp_path: Path) -> None:
    said = say("agents")
    assert f"Your settings: {tmp_path / 'settings.toml'}" in said
    assert "name no agent yet." in said
    written = said.partition("into your settings:\n")[2]
    assert tomllib.loads(written)["agents"].keys() == {known.name for known in KNOWN}


def test_those_that_are_named_come_first_and_are_not_offered_again(
    say: Say, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[agents.claude]\ncommand = ["no such program", "\\u202e"]\n')
    said = say("agents")
    assert "  claude: no such program <U+202E>  (its program is not installed)" in said
    assert "[agents.claude]" not in said
    found = json.loads(say("agents", "--json"))
    assert found["agents"] == [{"name": "claude", "installed": False}]
    assert len(found["known"]) == len(KNOWN)


def test_settings_that_make_no_sense_are_named(say: Say, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("agents = 5")
    assert "settings.toml: agents must be tables" in say("agents", code=2)
