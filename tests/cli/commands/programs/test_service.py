"""A service is shown, installed after a yes, and removed; what it runs is what was meant."""

import os
import plistlib
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from commonplace.cli.commands.programs.service import command, describe
from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.settings import Root, Settings

WORDS = ("/opt/my apps/commonplace", "serve", '/home/ada/50% "off" $HOME\\x', "--port", "8420")


def service(*words: str, **more: Any) -> str:
    done = CliRunner().invoke(command, words, catch_exceptions=False, **more)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with notes, and a manager of services that writes down what it is told."""
    folder = tmp_path / "home"
    (folder / "Notes").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for name in ("systemctl", "launchctl"):
        program = tmp_path / "bin" / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> "{tmp_path}/told"\n')
        program.chmod(0o755)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("COMMONPLACE_EMBEDDINGS", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return folder


def unquoted(line: str) -> list[str]:
    """Read a command as systemd does."""
    return shlex.split(line.replace("$$", "$").replace("%%", "%"))


def vault(*names: str) -> Settings:
    return Settings(tuple(Root(name, Path("/", name)) for name in names), Path("/state"))


def test_systemd_runs_the_very_words(tmp_path: Path):
    made = describe(vault("Ada's notes"), WORDS, tmp_path, "linux")
    assert made.file.parent == tmp_path / ".config/systemd/user"
    assert re.fullmatch(r"commonplace-ada-s-notes-[0-9a-f]{6}\.service", made.file.name)
    other = describe(Settings((Root("Ada's notes", tmp_path),), Path()), WORDS, tmp_path, "linux")
    assert other.file != made.file, "another folder of that name"
    (line,) = (line for line in made.text.splitlines() if line.startswith("ExecStart="))
    assert unquoted(line.removeprefix("ExecStart=")) == list(WORDS)
    with pytest.raises(BadArgument, match="cannot be written"):
        describe(vault("x"), ("serve", "a\nExecStartPre=/bin/evil"), tmp_path, "linux")


def test_launchd_runs_the_very_words(tmp_path: Path):
    made = describe(vault("日記"), WORDS, tmp_path, "darwin")
    assert made.file.parent == tmp_path / "Library/LaunchAgents"
    assert re.fullmatch(r"notes\.commonplace-日記-[0-9a-f]{6}\.plist", made.file.name)
    assert plistlib.loads(made.text.encode())["ProgramArguments"] == list(WORDS)
    with pytest.raises(BadArgument, match="cannot be written"):
        describe(vault("x"), ("serve", "a\x01"), tmp_path, "darwin")


@pytest.mark.skipif(sys.platform == "darwin", reason="systemd")
def test_it_is_installed_after_a_yes_and_removed_again(home: Path, tmp_path: Path):
    notes, units = str(home / "Notes"), home / ".config/systemd/user"
    with pytest.raises(BadArgument, match="Nothing was installed"):
        service("install", notes, input="")
    assert not units.exists()
    shown = service("install", notes, "--port", "9000", "--yes", "--log-level", "info")
    (unit,) = units.iterdir()
    assert unit.read_text() in shown
    assert f'"serve" "{notes}" "--log-level" "info" "--port" "9000" "--no-open"' in unit.read_text()
    with pytest.raises(BadArgument, match="Nothing was removed"):
        service("remove", notes, input="")
    service("remove", notes, "--yes")
    assert not unit.exists()
    assert (tmp_path / "told").read_text().splitlines() == [
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {unit.name}",
        f"systemctl --user disable --now {unit.name}",
        "systemctl --user daemon-reload",
    ]
    assert service("remove", notes, "--yes") == ""


@pytest.mark.skipif(sys.platform == "darwin", reason="systemd")
def test_a_manager_that_refuses_is_quoted(home: Path, tmp_path: Path):
    (tmp_path / "bin/systemctl").write_text(
        "#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n"
    )
    with pytest.raises(Unavailable, match=r"connect to bus\. The file is in its place"):
        service("install", str(home / "Notes"), "--yes")
    (unit,) = (home / ".config/systemd/user").iterdir()
    with pytest.raises(Unavailable, match=r"connect to bus\. The file is gone"):
        service("remove", str(home / "Notes"), "--yes")
    assert not unit.exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="systemd")
def test_a_manager_that_fails_without_a_word_has_failed(home: Path, tmp_path: Path):
    (tmp_path / "bin/systemctl").write_text("#!/bin/sh\nexit 3\n")
    with pytest.raises(Unavailable, match="daemon-reload` did not work: it ended with code 3"):
        service("install", str(home / "Notes"), "--yes")
