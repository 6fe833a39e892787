"""The commands, each in a module of its own that is loaded when it is called."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from keyword import iskeyword
from typing import Any

import click

from commonplace import __version__
from commonplace.cli.messages import fail, notice
from commonplace.cli.options import OPTIONS, Flags, Option, TrustQuestion, settle, withheld_text
from commonplace.errors import CommonplaceError
from commonplace.vault.settings import Settings

COMMANDS = {
    "serve": "programs",
    "mcp": "programs",
    "index": "reports",
    "status": "reports",
    "search": "reports",
    "review": "decisions",
    "sets": "decisions",
    "approvals": "decisions",
    "history": "reports",
    "blame": "reports",
    "restore": "decisions",
    "undo": "decisions",
    "trash": "decisions",
    "token": "decisions",
    "trust": "decisions",
    "store": "reports",
    "doctor": "reports",
    "chat": "programs",
    "agents": "reports",
    "checkout": "programs",
    "connect": "programs",
    "service": "programs",
    "model": "programs",
    "site": "programs",
    "import": "programs",
    "export": "programs",
}
"""Each command, and the package that it is in; in the order in which they are listed."""

_BEGIN = """\b
To begin:
  commonplace serve ~/Notes                   your notes in the browser
  commonplace connect                         which assistants are here
  commonplace connect claude --write ~/Notes  let one of them in
"""

Function = Callable[..., Any]


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        # No module can be called like a word of the language.
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        return import_module(f"commonplace.cli.commands.{COMMANDS[cmd_name]}.{module}").command


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_BEGIN,
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="commonplace")
@click.pass_context
def root(ctx: click.Context) -> None:
    """Make a folder of Markdown files a knowledge base that people and AI assistants share.

    VAULT is a folder, or several as NAME=DIR. It defaults to COMMONPLACE_VAULT, else to the
    current folder.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run a command line and give the exit code."""
    try:
        return root.main(list(arguments), "commonplace", standalone_mode=False) or 0
    except CommonplaceError as error:
        return fail(error)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        notice("stopped.")
        return 1
    except BrokenPipeError:
        return 1


def vault_options(function: Function) -> Function:
    """Give a command VAULT and the options of the table, as one `flags` argument."""
    for option in reversed(OPTIONS):
        function = _option(option)(function)
    return click.argument("vault", nargs=-1)(_gathered(function))


def vault_and_state(function: Function) -> Function:
    """Give a command VAULT and `--state` alone, as one `flags` argument."""
    return click.argument("vault", nargs=-1)(_gathered(_option(OPTIONS[0])(function)))


def vault_state_and_store(function: Function) -> Function:
    """Give a command VAULT, `--state` and `--store`, as one `flags` argument."""
    for option in (each for each in OPTIONS if each.name in ("state", "store")):
        function = _option(option)(function)
    return click.argument("vault", nargs=-1)(_gathered(function))


def settled(
    flags: Flags, ask: TrustQuestion | None = None, config_text: bytes | None = None
) -> Settings:
    """Make the settings of a command."""
    return settle(flags, os.environ, notice, ask, config_text)


def withheld(settings: Settings, flags: Flags) -> str:
    """Say in one line what the vault's own file asks for in vain; nothing if there is nothing."""
    return withheld_text(settings, flags, os.environ)


def _option(option: Option) -> Callable[[Function], Function]:
    if option.value:
        return click.option(option.flag, metavar=option.value, help=option.help)
    both = f"{option.flag}/--no-{option.flag[2:]}"
    return click.option(both, default=None, help=option.help)


def _gathered(function: Function) -> Function:
    names = [option.name for option in OPTIONS]

    @wraps(function)
    def command(vault: tuple[str, ...], **given: object) -> object:
        chosen = {name: given.pop(name) for name in names if name in given}
        named = {name: one for name, one in chosen.items() if isinstance(one, str | bool)}
        flags = Flags(vault, named)
        return function(flags=flags, **given)

    return command
