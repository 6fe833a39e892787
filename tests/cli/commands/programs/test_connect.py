"""What `connect` prints works pasted, and what it writes leaves the rest of a file as it was."""

import difflib
import json
import os
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from starlette.applications import Starlette

from commonplace.cli.commands.programs.connect import command
from commonplace.cli.options import Flags, settle
from commonplace.core import config
from commonplace.errors import BadArgument, NotFound, Unavailable
from commonplace.server.api.assistants import Visits
from commonplace.server.api.clients import CLIENTS, ClientProgram
from commonplace.server.api.connect import routes
from tests.server.api.test_graph import ask

SETTINGS = Path(__file__).parents[2] / "client_settings"


def connect(*words: str, **more: Any) -> str:
    done = CliRunner().invoke(command, words, catch_exceptions=False, **more)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def vault(tmp_path: Path) -> str:
    folder = tmp_path / "My notes"
    folder.mkdir()
    return str(folder)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in (
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "COMMONPLACE_STATE",
        "COMMONPLACE_EMBEDDINGS",
    ):
        monkeypatch.delenv(name, raising=False)
    return folder


def settings_of(client: ClientProgram, home: Path) -> Path:
    """Give a client the settings that somebody had."""
    file = home / client.file(sys.platform)
    file.parent.mkdir(parents=True, exist_ok=True)
    suffix = {"json": "json", "toml": "toml", "yaml": "yaml"}[client.kind]
    file.write_bytes((SETTINGS / f"{client.id}.{suffix}").read_bytes())
    file.chmod(0o640)
    return file


def parsed(client: ClientProgram, text: str) -> Any:
    """Read settings as the client does, by another parser than ours where there is one."""
    if client.kind == "json":
        return config.jsonc.read(text)
    return tomllib.loads(text) if client.kind == "toml" else yaml.safe_load(text)


# -- printed


def test_claude_gets_a_line_for_the_shell_with_absolute_paths(vault: str):
    words = shlex.split(connect("claude", vault, "--read-only", "--tools", "files"))
    assert words[:7] == ["claude", "mcp", "add", "--scope", "user", "notes", "--"]
    program, *arguments = words[7:]
    assert Path(program).is_absolute()
    assert arguments[-5:] == ["mcp", vault, "--tools", "files", "--read-only"]


def test_the_others_get_settings_each_in_its_own_shape(vault: str):
    cursor = json.loads(connect("cursor", vault))["mcpServers"]["notes"]
    assert cursor["args"][-2:] == ["mcp", vault]
    assert json.loads(connect("desktop", vault))["mcpServers"]["notes"] == cursor
    assert json.loads(connect("gemini", vault))["mcpServers"]["notes"] == cursor
    assert json.loads(connect("zed", vault))["context_servers"]["notes"] == cursor
    assert tomllib.loads(connect("codex", vault))["mcp_servers"]["notes"] == cursor
    vscode = json.loads(connect("vscode", vault))["servers"]["notes"]
    assert vscode == {"type": "stdio", **cursor}
    goose = yaml.safe_load(connect("goose", vault))["extensions"]["notes"]
    assert (goose["type"], goose["enabled"], goose["name"]) == ("stdio", True, "notes")
    assert [goose["cmd"], *goose["args"]] == [cursor["command"], *cursor["args"]]


def test_with_http_they_get_the_address(vault: str):
    url = "http://127.0.0.1:9000/mcp"
    given = ("--http", "--port", "9000", "--name", "kb", vault)
    words = shlex.split(connect("claude", *given))
    assert words == ["claude", "mcp", "add", "--scope", "user", "--transport", "http", "kb", url]
    assert json.loads(connect("cursor", *given)) == {"mcpServers": {"kb": {"url": url}}}
    vscode = json.loads(connect("vscode", *given))
    assert vscode == {"servers": {"kb": {"type": "http", "url": url}}}
    assert json.loads(connect("gemini", *given)) == {"mcpServers": {"kb": {"httpUrl": url}}}
    assert tomllib.loads(connect("codex", *given)) == {"mcp_servers": {"kb": {"url": url}}}
    goose = yaml.safe_load(connect("goose", *given))["extensions"]["kb"]
    assert (goose["type"], goose["uri"]) == ("streamable_http", url)
    with pytest.raises(BadArgument, match="Leave out --http"):
        connect("desktop", *given)


def test_programs_get_it_as_json(vault: str, home: Path):
    printed = json.loads(connect("cursor", vault, "--json"))
    assert printed["file"] == str(home / ".cursor/mcp.json")
    assert printed["entry"]["args"][-2:] == ["mcp", vault]


@pytest.mark.anyio
async def test_the_page_gives_every_client_the_same_text(vault: str, tmp_path: Path):
    state = str(tmp_path / "state")
    words = (vault, "--state", state, "--tools", "files", "--read-only")
    settings = settle(
        Flags((vault,), {"state": state, "tools": "files", "read_only": True}), {}, pytest.fail
    )
    _, answer = await ask(Starlette(routes=routes(settings, Visits())), "/api/connect")
    shown = {client["id"]: client["text"] for client in answer["clients"]}
    assert shown == {name: connect(name, *words).rstrip("\n") for name in CLIENTS}
    assert answer["line"] == f"commonplace connect CLIENT --write '{vault}' --state {state}"


# -- found


def test_without_a_client_they_are_told_apart(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "")
    (home / ".cursor").mkdir()
    settings_of(CLIENTS["zed"], home)
    connect("zed", str(home), "--write", "--yes")
    known = {one["client"]: one for one in json.loads(connect("--json"))}
    assert list(known) == list(CLIENTS)
    assert {name for name, one in known.items() if one["found"]} == {"cursor", "zed"}
    assert {name for name, one in known.items() if one["connected"]} == {"zed"}
    lines = connect().splitlines()
    assert lines[2].split()[:5] == ["cursor", "Cursor", "here,", "not", "connected"]
    with pytest.raises(NotFound, match="No such client: emacs"):
        connect("emacs")


def test_a_client_whose_settings_are_broken_is_still_listed(home: Path):
    file = settings_of(CLIENTS["cursor"], home)
    file.write_text("{")
    assert not json.loads(connect("--json"))[2]["connected"]
    with pytest.raises(BadArgument, match="not valid JSON"):
        connect("cursor", str(home), "--write", "--yes")
    assert file.read_text() == "{"


# -- written


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_an_entry_is_written_and_taken_out_and_all_else_keeps_its_bytes(
    client: ClientProgram, home: Path, vault: str
):
    file = settings_of(client, home)
    before = file.read_bytes()
    shown = connect(client.id, vault, "--write", "--yes")
    after = file.read_bytes()
    was, now = parsed(client, before.decode()), parsed(client, after.decode())
    entry = now[client.section].pop("notes")
    assert vault in entry["args"]
    assert now == {**was, client.section: was.get(client.section, {})}
    assert file.stat().st_mode & 0o777 == 0o640
    lines = [line[1:] for line in shown.splitlines()[2:] if line[0] == "+"]
    added = difflib.ndiff(before.decode().splitlines(), after.decode().splitlines())
    assert lines == [line[2:] for line in added if line[0] == "+"], "the change was shown"
    assert connect(client.id, vault, "--write", "--yes") == "", "nothing is left to change"
    connect(client.id, "--remove", "--yes")
    assert file.read_bytes() == before


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_a_client_without_settings_gets_a_file(client: ClientProgram, home: Path, vault: str):
    connect(client.id, vault, "--write", "--yes")
    file = home / client.file(sys.platform)
    assert vault in parsed(client, file.read_text())[client.section]["notes"]["args"]
    assert file.stat().st_mode & 0o777 == 0o600
    connect(client.id, "--remove", "--yes")
    assert not file.exists(), "nobody else had put anything there"


BEFORE = {
    "json": (
        '{"SECTION": {}}',
        '{\n  "SECTION": {\n  },\n  "a": 1\n}',
        '{\n\t"a": 1\n}',
        "{}",
        "\n",
        "",
    ),
    "toml": ("[SECTION]\n", "a = 1", "[SECTION]\n\n[a]\nb = 1\n", "", "\n\n"),
    "yaml": ("SECTION: {}\n", "SECTION:\n", "a: 1", "SECTION: {}\na: 1\n", "", "# mine\n"),
}


@pytest.mark.parametrize("client", CLIENTS.values(), ids=list(CLIENTS))
def test_an_empty_section_stays_if_it_was_there_and_goes_if_it_was_ours(
    client: ClientProgram, home: Path, vault: str
):
    file = settings_of(client, home)
    for shape in BEFORE[client.kind]:
        before = shape.replace("SECTION", client.section)
        file.write_text(before)
        connect(client.id, vault, "--write", "--yes")
        connect(client.id, vault, "--write", "--yes", "--read-only")
        assert file.read_text() != before
        connect(client.id, "--remove", "--yes")
        assert file.read_text() == before
        assert file.stat().st_mode & 0o777 == 0o640


def test_an_empty_section_stays_when_the_client_wrote_its_file_since(home: Path, vault: str):
    file = settings_of(CLIENTS["desktop"], home)
    connect("desktop", vault, "--write", "--yes", "--name", "one")
    connect("desktop", vault, "--write", "--yes", "--name", "two")
    changed = {**json.loads(file.read_text()), "numStartups": 2}
    file.write_text(json.dumps(changed))
    connect("desktop", "--remove", "--yes", "--name", "one")
    assert list(json.loads(file.read_text())["mcpServers"]) == ["two"]
    connect("desktop", "--remove", "--yes", "--name", "two")
    assert json.loads(file.read_text()) == {**changed, "mcpServers": {}}
    del changed["mcpServers"]
    file.write_text(json.dumps(changed))
    connect("desktop", vault, "--write", "--yes")
    file.write_text(json.dumps({**json.loads(file.read_text()), "numStartups": 3}))
    connect("desktop", "--remove", "--yes")
    assert json.loads(file.read_text()) == {**changed, "numStartups": 3}, "it was ours this time"


def test_what_is_remembered_of_a_file_holds_none_of_its_words(home: Path, vault: str):
    settings_of(CLIENTS["desktop"], home).write_text('{"key": "SECRET", "mcpServers": {}}')
    connect("desktop", vault, "--write", "--yes")
    kept = [file for file in (home / ".local").rglob("*") if file.is_file()]
    assert [file.name for file in kept] == ["clients.json"]
    assert kept[0].stat().st_mode & 0o777 == 0o600
    assert "SECRET" not in kept[0].read_text()
    kept[0].write_text("{")
    connect("desktop", "--remove", "--yes")


def test_nothing_is_written_without_a_yes(home: Path, vault: str):
    file = settings_of(CLIENTS["cursor"], home)
    before = file.read_bytes()
    with pytest.raises(BadArgument, match="Nothing was changed"):
        connect("cursor", vault, "--write", input="")
    with pytest.raises(BadArgument, match="Name the client"):
        connect("--write", "--yes")
    assert file.read_bytes() == before


def test_a_link_stays_a_link(home: Path, vault: str, tmp_path: Path):
    file = settings_of(CLIENTS["cursor"], home)
    kept = tmp_path / "dotfiles.json"
    file.rename(kept)
    file.symlink_to(kept)
    connect("cursor", vault, "--write", "--yes")
    assert file.is_symlink()
    assert "notes" in json.loads(kept.read_text())["mcpServers"]


def test_a_file_that_is_no_text_is_left_alone(home: Path, vault: str):
    file = settings_of(CLIENTS["cursor"], home)
    file.write_bytes(b"\xff\xfe{}")
    with pytest.raises(Unavailable, match="not UTF-8"):
        connect("cursor", vault, "--write", "--yes")


def test_a_client_whose_folder_was_moved_is_found_there(
    tmp_path: Path, vault: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for client in ("codex", "zed"):
        connect(client, vault, "--write", "--yes")
    assert (tmp_path / "codex/config.toml").is_file()
    assert (tmp_path / "config/zed/settings.json").is_file()
    assert os.listdir(tmp_path / "home") == []
