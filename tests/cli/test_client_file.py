"""A client's settings file: found, shown as a difference, and swapped whole."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from commonplace.cli import client_file
from commonplace.cli.client_file import ClientFile, diff, find, swap
from commonplace.errors import Conflict, Unavailable
from commonplace.server.api.clients import CLIENTS

CURSOR = CLIENTS["cursor"]


@pytest.fixture
def file(tmp_path: Path) -> ClientFile:
    return find(CURSOR, tmp_path, sys.platform, {})


def test_a_file_that_changed_meanwhile_is_left_alone(file: ClientFile) -> None:
    swap(file.path, "theirs")
    for change in (lambda: file.write("", "mine"), lambda: file.delete("")):
        with pytest.raises(Conflict, match=r"~/.*mcp\.json was changed meanwhile"):
            change()
    assert file.read() == "theirs"
    assert [each.name for each in file.path.parent.iterdir()] == ["mcp.json"]
    file.write("theirs", "mine")
    assert file.read() == "mine"
    file.delete("mine")
    assert file.read() == ""


def test_a_new_file_is_its_users_alone_and_a_mode_stays(file: ClientFile) -> None:
    file.write("", "ä 😀\n")
    assert file.path.stat().st_mode & 0o777 == 0o600
    file.path.chmod(0o644)
    file.write("ä 😀\n", "new")
    assert file.path.stat().st_mode & 0o777 == 0o644


def test_a_link_stays_a_link(file: ClientFile, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    swap(kept, "{}")
    file.path.parent.mkdir(parents=True)
    file.path.symlink_to(kept)
    file.write("{}", "mine")
    assert (file.path.is_symlink(), kept.read_text()) == (True, "mine")


def test_what_cannot_be_read_or_changed_safely_is_told(
    file: ClientFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.path.mkdir(parents=True)
    with pytest.raises(Unavailable, match=r"cannot be read \(Is a directory\)"):
        file.read()
    file.path.rmdir()
    file.path.write_bytes(b"\xff")
    with pytest.raises(Unavailable, match="is not UTF-8"):
        file.read()
    monkeypatch.setattr(client_file, "_BYTES_MAX", 3)
    file.path.write_text("long")
    with pytest.raises(Unavailable, match="too big"):
        file.read()


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "gone").write_text("")
    file = ClientFile(CURSOR, tmp_path / "gone" / "mcp.json", "~/gone/mcp.json")
    with pytest.raises(Unavailable, match=r"~/gone/mcp\.json cannot be"):
        file.write("", "mine")


@pytest.mark.parametrize(
    ("client", "environ", "shown"),
    [
        ("cursor", {}, "~/.cursor/mcp.json"),
        ("codex", {"CODEX_HOME": "/srv/codex"}, "/srv/codex/config.toml"),
        ("codex", {"CODEX_HOME": ""}, "~/.codex/config.toml"),
        ("zed", {"XDG_CONFIG_HOME": "/etc/own"}, "/etc/own/zed/settings.json"),
    ],
)
def test_a_file_is_found_where_its_client_looks(
    tmp_path: Path, client: str, environ: Mapping[str, str], shown: str
) -> None:
    found = find(CLIENTS[client], tmp_path, "linux", environ)
    assert found.shown == shown
    assert str(found.path) == shown.replace("~", str(tmp_path))


def test_a_change_is_shown_to_its_last_line() -> None:
    assert diff("f", "a\nb", "a\nc\n").splitlines() == [
        "--- f",
        "+++ f",
        "@@ -1,2 +1,2 @@",
        " a",
        "-b",
        "\\ No newline at end of file",
        "+c",
    ]
    assert diff("f", "same", "same") == ""
