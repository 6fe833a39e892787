"""Which store a person chose for the graph tools, and the credentials for it.

The user's name and the password come from the environment, or the password from a file that only
the user can read; never from a command line, an address or a settings file. What a vault's own file
names counts only once the person trusts the vault (`vault.trust`).
"""

import stat
from collections.abc import Mapping

from commonplace.cli.roots import expanded
from commonplace.errors import BadArgument
from commonplace.vault.settings import CONFIG_FILE
from commonplace.vault.store_settings import VAULT, StoreChoice, store_choice

STORE = "COMMONPLACE_STORE"
USER = "COMMONPLACE_STORE_USER"
PASSWORD = "COMMONPLACE_STORE_PASSWORD"  # noqa: S105 (the name of a variable)
PASSWORD_FILE = "COMMONPLACE_STORE_PASSWORD_FILE"  # noqa: S105 (the name of a variable)

_PASSWORD_BYTES_MAX = 10_000


def chosen(
    flag: str | None, environ: Mapping[str, str], configured: Mapping[str, str]
) -> StoreChoice:
    """Return the store: by flag, environment, or the settings file, in this order."""
    named, where = flag or environ.get(STORE), "--store" if flag else STORE
    options: dict[str, str] = {}
    if not named and configured:
        where = f"{CONFIG_FILE}: store"
        options = dict(configured)
        named = options.pop("url", "")
    if not named or named == VAULT:
        return StoreChoice()
    user = environ.get(USER) or "neo4j"
    return store_choice(named, options.items(), user, _password(environ), where)


def _password(environ: Mapping[str, str]) -> str | None:
    if given := environ.get(PASSWORD):
        return given
    if not (name := environ.get(PASSWORD_FILE)):
        return None
    file = expanded(name)
    try:
        mode = file.stat().st_mode
        text = file.read_bytes()[:_PASSWORD_BYTES_MAX].decode().strip()
    except (OSError, UnicodeDecodeError):
        raise BadArgument(f"{PASSWORD_FILE}: the file cannot be read.") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise BadArgument(
            f"{PASSWORD_FILE}: others can read the file. Make it yours alone: chmod 600 FILE."
        )
    return text
