"""The commands, each in a module of its own that is loaded when it is called."""

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from commonplace import __version__
from commonplace.cli.choices import OPTIONS, Flags, Option, settle
from commonplace.cli.messages import fail, notice
from commonplace.errors import CommonplaceError
from commonplace.vault.settings import Settings

COMMANDS = (
    "serve",
    "mcp",
    "index",
    "status",
    "search",
    "review",
    "approvals",
    "trash",
    "token",
    "doctor",
    "connect",
    "model",
)

Function = Callable[..., Any]


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        return import_module(f"commonplace.cli.{cmd_name}").command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="commonplace")
def root() -> None:
    """Make a folder of Markdown files a knowledge base that people and AI assistants share.

    VAULT is a folder, or several as NAME=DIR. It defaults to COMMONPLACE_VAULT, else to the
    current folder.
    """


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


def settled(flags: Flags) -> Settings:
    """Make the settings of a command."""
    return settle(flags, os.environ, notice)


def _option(option: Option) -> Callable[[Function], Function]:
    if option.value:
        return click.option(option.flag, metavar=option.value, help=option.help)
    both = f"{option.flag}/--no-{option.flag[2:]}"
    return click.option(both, default=None, help=option.help)


def _gathered(function: Function) -> Function:
    names = [option.name for option in OPTIONS]

    def command(vault: tuple[str, ...], **given: object) -> object:
        chosen = {name: given.pop(name) for name in names if name in given}
        flags = Flags(vault, **chosen)  # pyright: ignore[reportArgumentType]
        return function(flags=flags, **given)

    command.__doc__ = function.__doc__
    command.__click_params__ = getattr(function, "__click_params__", [])  # pyright: ignore[reportFunctionMemberAccess]
    return command
