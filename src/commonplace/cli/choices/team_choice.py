"""How a node of a team's server is chosen: options of `serve` that go together."""

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commonplace.errors import BadArgument

IDLE_MINUTES = 5.0

if TYPE_CHECKING:
    from commonplace.server.cluster.team import Team


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
    folder = Path(vaults).expanduser().absolute() if vaults else None
    if folder and not folder.is_dir():
        raise BadArgument("--vaults: there is no such folder.")
    from commonplace.server.cluster.team import Team, checked_address, checked_name

    if not database.startswith(("postgresql://", "postgres://")):
        raise BadArgument("--database: only postgresql://… is known.")
    host, port = checked_address(node)
    only = checked_name(name) if name else ""
    team = Team(database, only, host, port, Path(key), folder, close_after * 60)
    team.context(server=True)
    return team


def refuse_shown_password(database: str | None, typed: bool) -> None:
    """Refuse a password on the command line, where every user of the machine can read it."""
    if database and typed and urlsplit(database).password:
        raise BadArgument(
            "--database: a password does not belong on the command line. Put the whole address into"
            " COMMONPLACE_DATABASE, or the password into ~/.pgpass."
        )
