"""The commands as one program: help, completion, and the code that it ends with."""

import click
import pytest
from click.testing import CliRunner

from commonplace.cli.group import COMMANDS, root, run, vault_state_and_store
from commonplace.cli.options import Flags
from commonplace.errors import BadArgument, NotFound, Unavailable


def test_without_a_command_one_is_helped():
    done = CliRunner().invoke(root, [])
    assert done.exit_code == 0
    assert done.output.startswith("Usage:")
    assert "commonplace connect claude --write ~/Notes" in done.output


def test_a_shell_completes_commands(monkeypatch: pytest.MonkeyPatch):
    words = {"COMP_WORDS": "commonplace se", "COMP_CWORD": "1"}
    for name, value in {"_COMMONPLACE_COMPLETE": "bash_complete", **words}.items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(root, prog_name="commonplace")
    assert done.output.split() == ["plain,serve", "plain,search", "plain,sets", "plain,service"]


def test_every_command_can_be_loaded_and_says_what_it_is_for() -> None:
    context = click.Context(root)
    for name in COMMANDS:
        command = root.get_command(context, name)
        assert command is not None
        assert command.get_short_help_str()
    assert root.get_command(context, "fly") is None


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (BadArgument("Name one."), 2, "commonplace: Name one.\n"),
        (NotFound("No note a.md"), 2, "commonplace: No note a.md\n"),
        (Unavailable("Try again."), 1, "commonplace: Try again.\n"),
        (click.ClickException("No such file"), 1, "Error: No such file\n"),
        (click.Abort(), 1, "\ncommonplace: stopped.\n"),
        (KeyboardInterrupt(), 1, "\ncommonplace: stopped.\n"),
        (BrokenPipeError(), 1, ""),
    ],
)
def test_whatever_ends_a_command_is_told_in_words(
    raised: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @click.command()
    def failing() -> None:
        raise raised

    def get_command(*_: object) -> click.Command:
        return failing

    monkeypatch.setattr(type(root), "get_command", get_command)
    assert run(["status"]) == code
    assert capsys.readouterr().err.lstrip("\n") == said.lstrip("\n")


def test_vault_and_options_come_as_one() -> None:
    seen: list[Flags] = []

    @click.command()
    @vault_state_and_store
    def command(flags: Flags) -> None:
        seen.append(flags)

    CliRunner().invoke(command, ["A=/x", "b", "--state", "s", "--store", "vault"])
    assert seen == [Flags(("A=/x", "b"), {"state": "s", "store": "vault"})]
    assert CliRunner().invoke(command, ["--policy", "create=ask"]).exit_code == 2
