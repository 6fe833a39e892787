"""Commands in this process, through the one entry that the program has."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.cli.group import run as run_line

Say = Callable[..., str]


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that no command needs to be told of."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "Plan.md").write_text("# Plan\n\nWe sow {--peas--}{++beans++} in March. #garden\n")
    (folder / "あ.md").write_text("今日は晴れ。 [[Plan]] [[Nowhere]]\n")
    monkeypatch.setenv("COMMONPLACE_VAULT", str(folder))
    monkeypatch.setenv("COMMONPLACE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("COMMONPLACE_SETTINGS", str(tmp_path / "settings.toml"))
    return folder


@pytest.fixture
def say(notes: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """Return a function that runs a command and gives all that it said."""

    def command(*words: str, code: int = 0) -> str:
        found = run_line(words)
        said = "".join(capsys.readouterr())
        assert found == code, said
        return said

    return command
