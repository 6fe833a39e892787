"""What a person can choose, in one table: as a flag, in the environment, in `commonplace.toml`.

Flags win over the environment, which wins over the file. Both readers of flags, click's and the
small one that `commonplace mcp` uses to start fast, are made from this table, so they agree.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from commonplace.cli import roots as folders
from commonplace.cli.choices import embedding_choice, store_choice
from commonplace.errors import BadArgument
from commonplace.tools.families import always_loaded
from commonplace.vault import trust
from commonplace.vault.settings import (
    CONFIG_FILE,
    FAMILIES,
    LOG_FORMATS,
    LOG_LEVELS,
    OPERATIONS,
    POLICIES,
    Retention,
    Root,
    Settings,
    embeddings_of,
    families_of,
    one_of,
    policies_of,
    vault_key,
)
from commonplace.vault.settings.config_file import Config
from commonplace.vault.trust import Person, WiderSetting
from commonplace.vault.trust.records import TrustAnswers

Value = TypeVar("Value")
Default = TypeVar("Default")
TrustQuestion = Callable[[Path, Sequence[WiderSetting]], bool]

_WITHHELD_SHOWN_MAX = 5
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
        """How it is called in the environment."""
        return f"COMMONPLACE_{self.name.upper()}"


OPTIONS = (
    Option("state", "Where Commonplace keeps its own files (default: your data folder).", "DIR"),
    Option(
        "tools",
        f"Families of tools to offer: {','.join(FAMILIES)} (default: all).",
        "LIST",
    ),
    Option("read_only", "Offer no tool that writes."),
    Option(
        "always_load",
        "Tools, or families, that Claude Code loads at once: a list, all or none "
        "(default: seven of them).",
        "LIST",
    ),
    Option(
        "policy",
        f"What happens on {', '.join(OPERATIONS)}: create=allow,delete=deny,… "
        f"({', '.join(POLICIES)}).",
        "LIST",
    ),
    Option(
        "embeddings",
        "Search by meaning with: local (default), none, URL#MODEL, or an installed provider.",
        "WHAT",
    ),
    Option(
        "store",
        "What the graph tools work on: vault (default), neo4j://HOST, or an installed store.",
        "URL",
    ),
    Option("log_level", f"How much to log: {', '.join(LOG_LEVELS)} (default: warning).", "LEVEL"),
    Option("log_format", "How to log: text (default), or json, an object a line.", "FORMAT"),
)


@dataclass(frozen=True, slots=True)
class Flags:
    """What was given on the command line: VAULT, and options of the table by their names."""

    vault: tuple[str, ...] = ()
    given: Mapping[str, str | bool] = field(default_factory=dict[str, str | bool])

    def get(self, name: str) -> str | None:
        """Return what was given for an option, as text."""
        value = self.given.get(name)
        return None if value is None else str(value)


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
        flags = replace(flags, given={**flags.given, **found})
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


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person chose: a flag wins over the environment."""

    flags: Flags
    environ: Mapping[str, str]

    def read(
        self, name: str, read: Callable[[str, str], Value], otherwise: Default
    ) -> Value | Default:
        """Return what `read` makes of the choice and of where it was made."""
        option = next(each for each in OPTIONS if each.name == name)
        given = self.flags.get(name)
        if given is not None:
            return read(given, option.flag)
        named = self.environ.get(option.variable)
        return read(named, option.variable) if named else otherwise


def log_choices(chosen: Choices) -> tuple[str, str]:
    """Say how much is to be logged, and in which format."""
    level = chosen.read("log_level", partial(_one_of, LOG_LEVELS), LOG_LEVELS[0])
    return level, chosen.read("log_format", partial(_one_of, LOG_FORMATS), LOG_FORMATS[0])


def settle(
    flags: Flags,
    environ: Mapping[str, str],
    notice: Callable[[str], None],
    ask: TrustQuestion | None = None,
    config_text: bytes | None = None,
) -> Settings:
    """Make the settings from flags, environment, and what counts of the vault's own file.

    `ask` puts it to the person whether they trust a vault whose file would widen something;
    `config_text` is what that file says in a team's database.
    """
    named, config = folders.find(flags.vault or folders.from_environment(environ), config_text)
    base = state_base(flags, environ)
    chosen = Choices(flags, environ)
    log_level, log_format = log_choices(chosen)
    policies = _policies(environ.get("COMMONPLACE_POLICY"), "COMMONPLACE_POLICY")
    policies |= _policies(flags.get("policy"), "--policy")
    provider = chosen.read("embeddings", embeddings_of, None)
    chosen_store = bool(flags.get("store") or environ.get(store_choice.STORE))
    person = Person(policies, embeddings=provider is not None, store=chosen_store)
    config, withheld = _trusted(named, config, base, person, ask)
    roots = folders.split(named, config)
    writable = folders.writable(roots)
    if not writable:
        notice("the vault is not writable: continuing read-only.")
    models, server = embedding_choice.provider(provider or config.embeddings, environ)
    return Settings(
        roots=roots,
        state=base / vault_key(roots),
        families=chosen.read("tools", _families, config.tools or FAMILIES),
        read_only=chosen.read("read_only", is_on, config.read_only or False) or not writable,
        always_load=chosen.read("always_load", _always_load, _always_load_in(config)),
        ignore=config.ignore,
        suggestions=config.suggestions,
        policies={**config.policies, **policies},
        state_base=base if flags.get("state") or environ.get("COMMONPLACE_STATE") else None,
        locks=folders.state_base(None) / "locks",
        personal=personal_file(environ),
        models=models,
        embeddings=server,
        withheld=withheld,
        store=store_choice.chosen(flags.get("store"), environ, config.store),
        attachments=config.attachments,
        log_level=log_level,
        log_format=log_format,
        history=Retention(*config.history) if config.history else Retention(),
    )


def personal_file(environ: Mapping[str, str]) -> Path:
    """Return the person's own settings file, which names their agents."""
    return folders.personal_file(environ.get("COMMONPLACE_SETTINGS"))


def state_base(flags: Flags, environ: Mapping[str, str]) -> Path:
    """Return the folder that holds the state of every vault, and which of them are trusted."""
    return folders.state_base(flags.get("state") or environ.get("COMMONPLACE_STATE"))


def withheld_text(settings: Settings, flags: Flags, environ: Mapping[str, str]) -> str:
    """Say in one line what the vault's file asks for in vain, and how to trust it; else nothing."""
    if not settings.withheld:
        return ""
    more = len(settings.withheld) - _WITHHELD_SHOWN_MAX
    shown = ", ".join(settings.withheld[:_WITHHELD_SHOWN_MAX])
    return (
        f"{CONFIG_FILE} of this vault is not trusted, so this is not in force: {shown}"
        f"{f' and {more} more' if more > 0 else ''}. To see and trust it:"
        f" commonplace trust {vault_words(flags, environ)}"
    )


def vault_words(flags: Flags, environ: Mapping[str, str] | None = None) -> str:
    """Write the vault of a command for another one, which may be run in any folder."""
    import shlex  # only for such sentences

    environ = os.environ if environ is None else environ
    vault = flags.vault or folders.from_environment(environ)
    state = flags.get("state") or environ.get("COMMONPLACE_STATE")
    words = [*map(folders.absolute, vault)]
    return shlex.join([*words, "--state", folders.absolute(state)] if state else words)


def _trusted(
    named: Sequence[Root], config: Config, base: Path, person: Person, ask: TrustQuestion | None
) -> tuple[Config, tuple[str, ...]]:
    """Return what counts of a vault's file, and name what does not."""
    folder = named[0].path
    found = trust.split(config, folder, person)
    if not found.widening:
        return found.strict, ()
    records, fingerprint = TrustAnswers(base, folder), trust.fingerprint(config, folder)
    answer = records.answer(fingerprint)
    if answer is None and ask and records.possible:
        everything = trust.split(config, folder).widening
        answer = ask(folder, everything)
        records.write(fingerprint, trusted=answer, settings=[str(one) for one in everything])
    return (config, ()) if answer else (found.strict, tuple(map(str, found.widening)))


def _families(given: str, where: str) -> tuple[str, ...]:
    return families_of(given.split(","), where)


def _always_load(given: str, where: str) -> tuple[str, ...] | None:
    return always_loaded(given.split(","), where)


def _always_load_in(config: Config) -> tuple[str, ...] | None:
    words = config.always_load
    return None if words is None else always_loaded(words, f"{CONFIG_FILE}: always_load")


def _one_of(choices: tuple[str, ...], given: str, where: str) -> str:
    return one_of(given, choices, where)


def is_on(given: str, where: str) -> bool:
    """Say what a switch that is given as a word means."""
    if given.lower() not in _TRUE + _FALSE:
        raise BadArgument(f"{where}: {given!r} is neither true nor false.")
    return given.lower() in _TRUE


def _policies(given: str | None, where: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in (given or "").split(",") if pair.strip()]
    return policies_of([(operation, policy) for operation, _, policy in pairs], where)
