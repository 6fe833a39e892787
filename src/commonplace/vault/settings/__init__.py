"""What a vault is opened with: its roots, its state folder, and the person's choices.

Plain values. The command line builds them (flags win over environment over `config_file`); nothing
below it reads the environment. Imports plugins and the choice of a store.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from commonplace.errors import BadArgument
from commonplace.vault import plugins
from commonplace.vault.store_settings import StoreChoice

WritePolicy = Literal["allow", "suggest", "ask", "deny"]

FAMILIES = ("files", "notes", "graph", "history")
OPERATIONS = ("create", "update", "delete", "rename")
POLICIES: tuple[WritePolicy, ...] = ("allow", "suggest", "ask", "deny")  # the strictest last
LOG_LEVELS = ("warning", "info", "debug", "error")
LOG_FORMATS = ("text", "json")
EDIT_POLICIES = ("suggest", "deny")
CONFIG_FILE = "commonplace.toml"


@dataclass(frozen=True, slots=True)
class Root:
    """One folder of notes; `name` is the first path part when a vault has several."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class SuggestionStyle:
    """How suggestions are signed: the name shown, and whether it is written into the text.

    `{client}` in the name stands for what the assistant's program calls itself. With `metadata`,
    author and time stand in the markup itself, as the Obsidian plugin Commentator writes them.
    """

    author: str = "{client}"
    metadata: bool = False

    def name(self, client: str) -> str:
        """Return the name that people see."""
        return self.author.replace("{client}", client)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the history is kept: by age, and by the room that it takes."""

    days: int = 365
    megabytes: int = 500


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Who makes embeddings: a provider, its address, the model to name to it, a key if it has one.

    The table of providers is in `vault.embeddings.choice`.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    provider: str = "http"


@dataclass(frozen=True, slots=True)
class Access:
    """Who may come in over HTTP: by which hosts beside loopback, with a token or without one.

    `desk` marks the command line's own socket, which only the person of this machine can reach.
    """

    hosts: tuple[str, ...] = ()
    token: bool = False
    desk: bool = False
    prefix: str = ""
    """Below which address they find the vault, where a server has several."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a vault is opened with."""

    roots: tuple[Root, ...]
    state: Path
    families: tuple[str, ...] = FAMILIES
    read_only: bool = False
    always_load: tuple[str, ...] | None = None
    """The tools that a client is told to load at once; None for the usual ones."""
    ignore: tuple[str, ...] = ()
    policies: dict[str, str] = field(default_factory=dict[str, str])
    suggestions: SuggestionStyle = field(default_factory=SuggestionStyle)
    state_base: Path | None = None
    """The folder that a person named for the state of all vaults; None for the usual one."""
    locks: Path | None = None
    """Where lock files go when a root's file system cannot lock folders; shared by all vaults."""
    personal: Path | None = None
    """The person's own settings file, which names their agents; None for none."""
    models: Path | None = None
    """The data folder where the local embedding model is installed; None for none."""
    embeddings: Embeddings | None = None
    """The provider to be used instead of the local model."""
    store: StoreChoice = field(default_factory=StoreChoice)
    """What the graph tools work on."""
    access: Access = field(default_factory=Access)
    withheld: tuple[str, ...] = ()
    """What the vault's own file asks for and does not get, because nobody trusted it so far."""
    attachments: str | None = None
    """The folder for new attachments, `./` for one beside the note; None to do as Obsidian does."""
    log_level: str = LOG_LEVELS[0]
    log_format: str = LOG_FORMATS[0]

    history: Retention = field(default_factory=Retention)
    """How long revisions are kept."""

    @property
    def several_roots(self) -> bool:
        """Whether paths start with the root's name."""
        return len(self.roots) > 1


def vault_key(roots: tuple[Root, ...]) -> str:
    """Name the state folder of a set of roots: the same folders always share one."""
    real = sorted(str(root.path.resolve()) for root in roots)
    return hashlib.sha256("\0".join(real).encode("utf-8", "surrogateescape")).hexdigest()[:24]


def families_of(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Check names of tool families; they come out once each, in the order of `FAMILIES`."""
    chosen = {one_of(name.strip(), FAMILIES, where) for name in names}
    if not chosen:
        raise BadArgument(f"{where}: name at least one of {', '.join(FAMILIES)}.")
    return tuple(name for name in FAMILIES if name in chosen)


def policies_of(pairs: Iterable[tuple[str, str]], where: str) -> dict[str, str]:
    """Check policies: what happens on create, update, delete and rename, and whether on edit.

    A key is an operation (`*` for each), then, if wanted, `:` and a glob of paths, then `@` and
    the name of an assistant: `update`, `delete:Journal/**`, `*@cursor`, `update:Drafts/**@claude`.
    """
    checked: dict[str, str] = {}
    for rule, policy in ((rule.strip(), policy.strip()) for rule, policy in pairs):
        choices = EDIT_POLICIES if rule_parts(rule)[0] == "edit" else POLICIES
        checked[_rule(rule, where)] = one_of(policy, choices, f"{where} {rule}")
    return checked


def embeddings_of(given: str, where: str) -> str:
    """Check a provider of embeddings; what comes out is the very text that is used."""
    named = given.strip()
    url, _, model = named.partition("#")
    if named in ("local", "none") or (model.strip() and _is_address(url)):
        return named
    if installed_provider(named):
        return named
    raise BadArgument(
        f"{where}: {named!r} is neither local, none, an installed provider, nor a URL with a"
        " model's name behind it, like http://localhost:11434/v1#nomic-embed-text."
    )


def installed_provider(named: str) -> str:
    """Return the installed package's provider that a text names; nothing if it names none."""
    name = named.partition("#")[0].partition("://")[0]
    if name in ("http", "https", "local", "none"):
        return ""
    return name if name in plugins.names("commonplace.embeddings") else ""


def _is_address(url: str) -> bool:
    """Refuse what parsers read in different ways: spaces, invisible characters, user names."""
    if not (url.isascii() and url.isprintable()) or {" ", "\\", "@"} & set(url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def rule_parts(rule: str) -> tuple[str, str, str]:
    """Take the key of a policy apart: operation, glob and assistant, empty for any."""
    scope, _, actor = rule.rpartition("@") if "@" in rule else (rule, "", "")
    operation, _, folder = scope.partition(":")
    return operation.strip(), folder.strip(), actor.strip()


def _rule(rule: str, where: str) -> str:
    operation, folder, _ = rule_parts(rule)
    if operation != "*":
        one_of(operation, (*OPERATIONS, "edit"), where)
    if folder:
        from commonplace.core import globs  # `commonplace mcp` starts without it

        try:
            globs.compile_glob(folder)
        except BadArgument as error:
            raise BadArgument(f"{where} {rule}: {error}") from None
    return rule


def one_of(value: str, allowed: tuple[str, ...], where: str) -> str:
    """Check that a text is one of those allowed."""
    if value not in allowed:
        raise BadArgument(f"{where}: {value!r} is not one of {', '.join(allowed)}.")
    return value
