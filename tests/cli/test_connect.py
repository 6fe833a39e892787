"""What `connect` prints, pasted, works: it is parsed here as the clients parse it."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace.cli.connect import command
from commonplace.errors import BadArgument


def connect(*words: str) -> str:
    done = CliRunner().invoke(command, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def vault(tmp_path: Path) -> str:
    folder = tmp_path / "My notes"
    folder.mkdir()
    return str(folder)


def test_claude_gets_a_line_for_the_shell_with_absolute_paths(vault: str):
    words = shlex.split(connect("claude", vault, "--read-only", "--tools", "files"))
    assert words[:5] == ["claude", "mcp", "add", "commonplace", "--"]
    program, *arguments = words[5:]
    assert Path(program).is_absolute()
    assert arguments[-5:] == ["mcp", vault, "--tools", "files", "--read-only"]


def test_the_others_get_json_each_in_its_own_shape(vault: str):
    cursor = json.loads(connect("cursor", vault))["mcpServers"]["commonplace"]
    assert cursor["args"][-2:] == ["mcp", vault]
    assert json.loads(connect("desktop", vault))["mcpServers"]["commonplace"] == cursor
    vscode = json.loads(connect("vscode", vault))["servers"]["commonplace"]
    assert vscode == {"type": "stdio", **cursor}


def test_with_http_they_get_the_address(vault: str):
    url = "http://127.0.0.1:9000/mcp"
    given = ("--http", "--port", "9000", "--name", "kb", vault)
    line = connect("claude", *given)
    assert shlex.split(line) == ["claude", "mcp", "add", "--transport", "http", "kb", url]
    assert json.loads(connect("cursor", *given)) == {"mcpServers": {"kb": {"url": url}}}
    vscode = json.loads(connect("vscode", *given))
    assert vscode == {"servers": {"kb": {"type": "http", "url": url}}}
    with pytest.raises(BadArgument, match="Leave out --http"):
        connect("desktop", *given)


def test_without_a_client_all_of_them_are_printed(vault: str):
    printed = json.loads(connect(vault, "--json"))
    assert list(printed) == ["claude", "cursor", "vscode", "desktop"]


def test_several_folders_keep_their_names(tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    words = shlex.split(connect("claude", f"One={tmp_path}/a", f"{tmp_path}/b"))
    assert words[-2:] == [f"One={tmp_path}/a", f"{tmp_path}/b"]


def test_the_vault_of_the_environment_is_written_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMONPLACE_VAULT", "One=a:Two=b")
    words = shlex.split(connect("claude"))
    assert words[-2:] == [f"One={tmp_path}/a", f"Two={tmp_path}/b"]


def test_a_copy_that_is_not_on_the_path_names_its_python(
    vault: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["x/__main__.py"])
    words = shlex.split(connect("claude", vault))
    assert words[5:8] == [sys.executable, "-m", "commonplace"]
