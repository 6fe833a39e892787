"""Which store a person chose, as plain values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import parse_qsl, urlsplit

from commonplace.errors import BadArgument

VAULT = "vault"

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """A store: its address, what else its provider is told, and who to be there.

    `url` is `vault`, the name of a provider, or an address whose scheme begins with that name.
    """

    url: str = VAULT
    options: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    user: str = ""
    password: str | None = field(default=None, repr=False)

    @property
    def provider(self) -> str:
        """The name of the provider: the scheme, up to a `+`."""
        return self.url.partition("://")[0].partition("+")[0].lower()

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str], ...], str]:
        """What tells one choice from another."""
        return self.url, tuple(sorted(self.options.items())), self.user


def store_choice(
    url: str, options: Iterable[tuple[str, str]], user: str, password: str | None, where: str
) -> StoreChoice:
    """Check a choice; options may also stand behind a `?` in the address."""
    plain, _, query = url.strip().partition("?")
    _refuse_secrets(plain, where)
    given = {**dict(options), **dict(parse_qsl(query, keep_blank_values=True))}
    if not plain:
        raise BadArgument(f"{where}: name a store: vault, or an address like neo4j://localhost.")
    if any("password" in name.lower() for name in given):
        raise BadArgument(f"{where}: {_NO_SECRETS}")
    return StoreChoice(plain.rstrip("/"), MappingProxyType(given), user, password)


_NO_SECRETS = (
    "a password does not belong here. Put it into COMMONPLACE_STORE_PASSWORD, or into a file that"
    " only you can read, named by COMMONPLACE_STORE_PASSWORD_FILE."
)


def _refuse_secrets(url: str, where: str) -> None:
    try:
        parts = urlsplit(url)
        has_user = "@" in parts.netloc
    except ValueError:
        raise BadArgument(f"{where}: {url!r} is no address.") from None
    if has_user:
        raise BadArgument(f"{where}: {_NO_SECRETS}")
