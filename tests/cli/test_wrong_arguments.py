"""No wrong argument gives a traceback: each option of each command, with ten bad values."""

from pathlib import Path

import click
import pytest

from commonplace.cli.group import COMMANDS, root, run

# What these commands take behind the vault; without it, the vault would be the folder one is in.
_MORE = {"search": ("words",), "site": ("folder",)}
BAD = ("", " ", "-1", "99999", "1e9", "abc", "a\nb", "ü=🙂", "x" * 5_000, "x/" * 3_000)


def commands(name: str) -> list[tuple[list[str], click.Command]]:
    found = root.get_command(click.Context(root), name)
    assert found is not None
    if isinstance(found, click.Group):
        return [([name, sub], each) for sub, each in found.commands.items()]
    return [([name], found)]


CASES = [
    (words, option.opts[0])
    for name in COMMANDS
    for words, command in commands(name)
    for option in command.params
    if isinstance(option, click.Option) and not option.is_flag
]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where nothing is spoilt: a bad value may name a folder that is made."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def test_there_are_options() -> None:
    assert len(CASES) > 30


@pytest.mark.parametrize(("words", "option"), CASES)
def test_a_bad_value_is_refused_in_words(
    words: list[str], option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for bad in BAD:
        query = [*_MORE.get(words[0], ())]
        code = run([*words, option, bad, str(tmp_path / "no such vault"), *query])
        shown = "".join(capsys.readouterr())
        assert code in (1, 2), (bad, shown)
        assert shown.strip(), bad
        assert "Traceback" not in shown


@pytest.mark.parametrize("port", ["99999", "-1", "http", ""])
def test_a_port_that_is_none_is_refused(
    port: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", str(tmp_path), "--port", port]) == 2
    assert "--port" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["", ".", "..", "here/../..", "/no/such/Notes", "~/Notes"])
def test_search_needs_its_words(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here/here").mkdir()
    assert run(["search", folder or str(tmp_path)]) == 2
    assert "Say what to search for" in capsys.readouterr().err


def test_connect_names_the_clients(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["connect", "emacs"]) == 2
    assert "claude, desktop, cursor, vscode" in capsys.readouterr().err
