"""The command line by which other programs start this one: every choice goes along."""

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from commonplace.cli.commands.programs.connect import command
from commonplace.cli.options import OPTIONS, Flags, parse
from tests.cli.commands.programs.test_connect import connect, home, vault

__all__ = ["home", "vault"]


def test_several_folders_keep_their_names(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    words = shlex.split(connect("claude", f"One={tmp_path}/a", f"{tmp_path}/b"))
    assert words[-2:] == [f"One={tmp_path}/a", f"{tmp_path}/b"]


def test_vault_and_state_of_the_environment_are_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMONPLACE_VAULT", "One=a:Two=b")
    monkeypatch.setenv("COMMONPLACE_STATE", str(tmp_path / "state"))
    words = shlex.split(connect("claude"))
    roots = [f"One={tmp_path}/a", f"Two={tmp_path}/b"]
    assert words[-4:] == [*roots, "--state", str(tmp_path / "state")]


CHOSEN: dict[str, Any] = {
    "tools": "files",
    "read_only": True,
    "always_load": "none",
    "policy": "create=deny",
    "embeddings": "none",
    "store": "neo4j://db.example",
    "log_level": "info",
    "log_format": "json",
}


def started(*words: str) -> Flags:
    """Return what the server reads that is started by the line for Claude Code."""
    line = shlex.split(connect("claude", *words))
    line = line[line.index("--") :]
    flags = parse(line[line.index("mcp") + 1 :])
    assert flags is not None
    return flags


def test_every_choice_goes_along_by_flag_or_by_variable(
    vault: str, monkeypatch: pytest.MonkeyPatch
):
    assert CHOSEN.keys() == {option.name for option in OPTIONS} - {"state"}
    given = [
        word
        for option in OPTIONS[1:]
        for word in (option.flag, *([CHOSEN[option.name]] if option.value else []))
    ]
    assert started(vault, *given) == Flags((vault,), CHOSEN)
    assert started(vault) == Flags((vault,))
    for option in OPTIONS[1:]:
        monkeypatch.setenv(option.variable, str(CHOSEN[option.name]))
    assert started(vault) == Flags((vault,), CHOSEN)
    more = started(vault, "--policy", "delete=deny", "--no-read-only", "--log-level", "warning")
    assert (more.given["read_only"], more.get("log_level")) == (False, "warning")
    assert more.get("policy") == "create=deny,delete=deny"


def test_what_is_for_the_environment_alone_is_named_and_not_written(
    vault: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COMMONPLACE_STORE_PASSWORD", "SECRET")
    words = ["cursor", vault, "--store", "neo4j://db.example"]
    done = CliRunner().invoke(command, words, catch_exceptions=False)
    assert "set it where the program is started: COMMONPLACE_STORE_PASSWORD." in done.stderr
    assert "SECRET" not in done.output


@pytest.mark.parametrize("name", ["commonplace", "commonplace-notes"])
def test_a_copy_is_started_again_by_the_name_it_was_started_by(
    vault: str, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
):
    program = tmp_path / "bin" / name
    program.parent.mkdir()
    program.touch()
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert shlex.split(connect("claude", vault))[7] == str(program)


def test_a_copy_started_by_its_python_names_itself_and_no_stranger_on_the_path(
    vault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stranger = tmp_path / "elsewhere" / "commonplace"
    stranger.parent.mkdir()
    stranger.touch(0o755)
    monkeypatch.setenv("PATH", str(stranger.parent))
    monkeypatch.setattr(sys, "argv", ["x/__main__.py"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    python = [sys.executable, "-m", "commonplace"]
    assert shlex.split(connect("claude", vault))[7:10] == python
    script = tmp_path / "bin" / "commonplace"
    script.parent.mkdir()
    script.touch()
    assert shlex.split(connect("claude", vault))[7:9] == [str(script), "mcp"]
