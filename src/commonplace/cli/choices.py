"""What a person can choose, in one table: as a flag, in the environment, in `commonplace.toml`.

Flags win over the environment, which wins over the file. Both readers of flags, click's and the
small one that `commonplace mcp` uses to start fast, are made from this table, so they agree.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.cli import embeddings, folders
from commonplace.errors import BadArgument
from commonplace.vault.settings import (
    FAMILIES,
    OPERATIONS,
    Config,
    Settings,
    families_of,
    policies_of,
    vault_key,
)

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("", "0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Option:
    """One choice. A switch takes no value; it can also be turned off by `--no-…`."""

    name: str
    help: str
    value: str = ""

    @property
    def flag(self) -> str:
        """How it is written on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """How it is written in the environment."""
        return "COMMONPLACE_" + self.name.upper()


OPTIONS = (
    Option("state", "Where Commonplace keeps its own files (default: your data folder).", "DIR"),
    Option("tools", f"Families of tools to offer: {','.join(FAMILIES)} (default: all).", "LIST"),
    Option("read_only", "Offer no tool that writes."),
    Option(
        "policy",
        f"What happens on {', '.join(OPERATIONS)}: create=allow,delete=deny,… "
        "(allow, ask, suggest, deny).",
        "LIST",
    ),
    Option("embeddings", "Search by meaning with: local (default), none, or URL#MODEL.", "WHAT"),
)


@dataclass(frozen=True, slots=True)
class Flags:
    """What was given on the command line: None where nothing was."""

    vault: tuple[str, ...] = ()
    state: str | None = None
    tools: str | None = None
    read_only: bool | None = None
    policy: str | None = None
    embeddings: str | None = None


def parse(arguments: Sequence[str]) -> Flags | None:
    """Read plain arguments without click; None when they need its help, or its complaints."""
    flags, rest = Flags(), iter(arguments)
    for argument in rest:
        if not argument.startswith("-"):
            flags = replace(flags, vault=(*flags.vault, argument))
            continue
        found = _flag(argument, rest)
        if found is None:
            return None
        flags = replace(flags, **found)
    return flags


def _flag(argument: str, rest: Iterator[str]) -> dict[str, str | bool] | None:
    flag, equals, value = argument.partition("=")
    for option in OPTIONS:
        if flag == option.flag and option.value:
            given = value if equals else next(rest, None)
            return None if given is None else {option.name: given}
        if argument == option.flag:
            return {option.name: True}
        if argument == f"--no-{option.flag[2:]}" and not option.value:
            return {option.name: False}
    return None


def settle(flags: Flags, environ: Mapping[str, str], notice: Callable[[str], None]) -> Settings:
    """Make the settings from flags, environment, and the vault's own file."""
    roots, config = folders.find(flags.vault or folders.from_environment(environ))
    base = folders.state_base(flags.state or environ.get("COMMONPLACE_STATE"))
    writable = folders.writable(roots)
    if not writable:
        notice("the vault is not writable: going on read-only.")
    named = _policies(environ.get("COMMONPLACE_POLICY"), "COMMONPLACE_POLICY")
    models, server = embeddings.chosen(flags.embeddings, environ, config.embeddings)
    return Settings(
        roots=roots,
        state=base / vault_key(roots),
        families=_families(flags, environ, config),
        read_only=_read_only(flags, environ, config) or not writable,
        ignore=config.ignore,
        suggestions=config.suggestions,
        policies={**config.policies, **named, **_policies(flags.policy, "--policy")},
        locks=folders.state_base(None) / "locks",
        models=models,
        embeddings=server,
    )


def _families(flags: Flags, environ: Mapping[str, str], config: Config) -> tuple[str, ...]:
    if flags.tools is not None:
        return families_of(flags.tools.split(","), "--tools")
    if given := environ.get("COMMONPLACE_TOOLS"):
        return families_of(given.split(","), "COMMONPLACE_TOOLS")
    return FAMILIES if config.tools is None else config.tools


def _read_only(flags: Flags, environ: Mapping[str, str], config: Config) -> bool:
    if flags.read_only is not None:
        return flags.read_only
    given = environ.get("COMMONPLACE_READ_ONLY", "").lower()
    if given and given not in _TRUE + _FALSE:
        raise BadArgument(f"COMMONPLACE_READ_ONLY: {given!r} is neither true nor false.")
    return given in _TRUE or bool(not given and config.read_only)


def _policies(given: str | None, where: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in (given or "").split(",") if pair.strip()]
    return policies_of([(operation, policy) for operation, _, policy in pairs], where)
