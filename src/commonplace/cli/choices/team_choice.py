"""How a node of a team's server is chosen: options of `serve` that go together."""

import signal
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from commonplace.cli.messages import notice
from commonplace.cli.roots import expanded
from commonplace.errors import BadArgument, Unavailable

IDLE_MINUTES = 5.0
_PAUSE = 0.2

if TYPE_CHECKING:
    from commonplace.server.cluster.team import Team

Function = Callable[..., Any]


def chosen(
    database: str | None,
    name: str | None,
    node: str | None,
    key: str | None,
    vaults: str | None = None,
    close_after: float = IDLE_MINUTES,
) -> "Team | None":
    """Make what a node is started with; None for a server of one machine."""
    if not database:
        if name or node or key or vaults:
            raise BadArgument(
                "--vault-name, --vaults, --node and --node-key are for a team's server: name its"
                " --database."
            )
        return None
    if not ((name or vaults) and node and key):
        raise BadArgument(
            "--database needs --vault-name NAME (the same on each node) or --vaults FOLDER (one in"
            " it for each vault), --node HOST:PORT (where the other nodes reach this one) and"
            " --node-key FILE (the same on each node)."
        )
    folder = expanded(vaults).absolute() if vaults else None
    if folder and folder.exists() and not folder.is_dir():
        raise BadArgument("--vaults: there is no such folder. Make it first, or name another.")
    from commonplace.server.cluster.team import Team, checked_address, checked_name

    _refuse_unknown(database)
    host, port = checked_address(node)
    only = checked_name(name) if name else ""
    team = Team(database, only, host, port, Path(key), folder, close_after * 60)
    team.context(server=True)
    return team


def make_folders(team: "Team", vaults: Sequence[str]) -> None:
    """Make the folders of a node that are not there yet: they are filled from the database."""
    if team.folder is not None:
        if vaults:
            raise BadArgument("--vaults names the folder of all vaults: name no other.")
        team.folder.mkdir(parents=True, exist_ok=True)
    for text in vaults:
        folder = expanded(text.rpartition("=")[2])
        if not expanded(text).exists() and not folder.exists():
            folder.mkdir(parents=True)


def config_text(team: "Team") -> bytes | None:
    """Read what the settings file of a team's vault says; None if the database has none.

    A database that cannot be reached is waited for: by an older file, or none, assistants could be
    let do what this one forbids.
    """
    from commonplace.server.cluster.node import listening
    from commonplace.vault.postgres.connection import load_driver
    from commonplace.vault.team_files import folder

    # Who lacks the driver, or whose port is taken, need not wait for a database.
    load_driver()
    listening(team).close()
    told = ""
    with _ending_when_told():
        while True:
            try:
                return folder.config_text(team.database, team.vault)
            except Unavailable as error:
                if str(error) != told:
                    told = str(error)
                    notice(f"{told} Trying again.")
                time.sleep(_PAUSE)


@contextmanager
def _ending_when_told() -> Generator[None]:
    """End the process in good order when it is told to, in the middle of whatever it does."""

    def end(_number: int, _frame: object) -> None:
        raise SystemExit(0)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def of_database(function: Function) -> Function:
    """Give a command `--database` and `--vault-name`, for a vault that it finds there."""
    for option in (
        click.option(
            "--vault-name",
            "--vault",
            "name",
            envvar="COMMONPLACE_VAULT_NAME",
            metavar="NAME",
            required=True,
            help="What the vault is called there.",
        ),
        click.option(
            "--database",
            envvar="COMMONPLACE_DATABASE",
            metavar="URL",
            required=True,
            help="The database of a team's server.",
        ),
    ):
        function = option(function)
    return function


def named(database: str, name: str, *, typed: bool) -> str:
    """Check the address of a database, and return the vault's name as it is there."""
    from commonplace.server.cluster.team import checked_name

    refuse_shown_password(database, typed)
    _refuse_unknown(database)
    return checked_name(name)


def was_typed(option: str) -> bool:
    """Tell whether an option stands on the command line, where others can read it."""
    source = click.get_current_context().get_parameter_source(option)
    return source is ParameterSource.COMMANDLINE


def _refuse_unknown(database: str) -> None:
    if not database.startswith(("postgresql://", "postgres://")):
        raise BadArgument("--database: give an address that begins with postgresql://.")


def refuse_shown_password(database: str | None, typed: bool) -> None:
    """Refuse a password on the command line, where every user of the machine can read it."""
    if database and typed and urlsplit(database).password:
        raise BadArgument(
            "--database: a password does not belong on the command line. Put the whole address into"
            " COMMONPLACE_DATABASE, or the password into ~/.pgpass."
        )
