"""What a vault is opened with: its roots, its state folder, and the person's choices.

Plain values. The command line builds them (flags win over environment over `commonplace.toml`);
nothing below it reads the environment. The file is parsed here, from its text: a key that is
unknown or of the wrong kind is an error that names it, because a mistyped policy that is silently
ignored would be worse than none.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from commonplace.errors import BadArgument
from commonplace.vault import plugins
from commonplace.vault.store_settings import StoreChoice

FAMILIES = ("files", "notes", "graph", "history")
OPERATIONS = ("create", "update", "delete", "rename")
POLICIES = ("allow", "ask", "suggest", "deny")
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

    The table of providers is in `vault.providers`.
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


@dataclass(frozen=True, slots=True)
class Config:
    """What a `commonplace.toml` says; `None` where it is silent."""

    roots: tuple[tuple[str, str], ...] = ()
    tools: tuple[str, ...] | None = None
    read_only: bool | None = None
    always_load: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    policies: dict[str, str] = field(default_factory=dict[str, str])
    suggestions: SuggestionStyle = field(default_factory=SuggestionStyle)
    embeddings: str | None = None
    store: dict[str, str] = field(default_factory=dict[str, str])
    attachments: str | None = None
    history: tuple[int, int] | None = None


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


def parse_config(text: str) -> Config:
    """Read the text of a `commonplace.toml`."""
    import tomllib

    try:
        table = cast("dict[str, object]", tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadArgument(f"{CONFIG_FILE} is not valid TOML: {error}.") from None
    known = {"roots", "tools", "read_only", "always_load", "ignore", "policy"}
    known |= {"suggestions", "embeddings", "store", "attachments", "history"}
    for key in table.keys() - known:
        raise BadArgument(f"{CONFIG_FILE}: unknown key {key!r}. Known: {', '.join(sorted(known))}.")
    tools, read_only = table.get("tools"), table.get("read_only")
    if not isinstance(read_only, bool | None):
        raise BadArgument(f"{CONFIG_FILE}: read_only must be true or false.")
    return Config(
        roots=_roots(_texts_by_name(table, "roots")),
        tools=None if tools is None else families_of(_texts(table, "tools"), _key("tools")),
        read_only=read_only,
        always_load=_texts(table, "always_load") if "always_load" in table else None,
        ignore=_texts(table, "ignore"),
        policies=policies_of(_texts_by_name(table, "policy").items(), _key("policy")),
        suggestions=_suggestions(table.get("suggestions", {})),
        embeddings=_embeddings(table.get("embeddings")),
        store=_texts_by_name(table, "store"),
        attachments=_attachments(table.get("attachments")),
        history=_history(table.get("history")),
    )


def _roots(named: dict[str, str]) -> tuple[tuple[str, str], ...]:
    if any("\0" in where for where in named.values()):
        raise BadArgument(f"{_key('roots')}: a folder's name holds no NUL.")
    return tuple(named.items())


def _embeddings(given: object) -> str | None:
    if not isinstance(given, str | None):
        raise BadArgument(f"{_key('embeddings')} must be a text: local, none, or URL#MODEL.")
    return None if given is None else embeddings_of(given, _key("embeddings"))


def _attachments(given: object) -> str | None:
    if not isinstance(given, str | None):
        raise BadArgument(f"{_key('attachments')} must be a text: the folder for new attachments.")
    if given is not None:
        from commonplace.core import paths

        try:
            paths.folder_path(given.removeprefix("./").strip("/"))
        except BadArgument as error:
            raise BadArgument(f"{_key('attachments')}: {error}") from None
    return given


def _history(given: object) -> tuple[int, int] | None:
    """Read how long the history is kept: days and megabytes, both at least 1."""
    if given is None:
        return None
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {"": None}
    usual = Retention()
    days, room = table.get("days", usual.days), table.get("megabytes", usual.megabytes)
    wrong = bool(table.keys() - {"days", "megabytes"})
    for number in (days, room):
        wrong |= isinstance(number, bool) or not isinstance(number, int) or number < 1
    if wrong:
        raise BadArgument(f"{_key('history')} takes days and megabytes, whole numbers from 1 on.")
    return cast("int", days), cast("int", room)


def _suggestions(given: object) -> SuggestionStyle:
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {"": None}
    author, metadata = table.get("author", "{client}"), table.get("metadata", False)
    if table.keys() - {"author", "metadata"} or not isinstance(author, str) or not author.strip():
        raise BadArgument(f"{_key('suggestions')} takes author (a text) and metadata.")
    if not isinstance(metadata, bool):
        raise BadArgument(f"{_key('suggestions')}: metadata must be true or false.")
    return SuggestionStyle(author, metadata)


def _key(name: str) -> str:
    return f"{CONFIG_FILE}: {name}"


def one_of(value: str, allowed: tuple[str, ...], where: str) -> str:
    """Check that a text is one of those allowed."""
    if value not in allowed:
        raise BadArgument(f"{where}: {value!r} is not one of {', '.join(allowed)}.")
    return value


def _texts(table: dict[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(item, str) for item in items):
        raise BadArgument(f"{_key(key)} must be a list of texts.")
    return tuple(cast("list[str]", items))


def _texts_by_name(table: dict[str, object], key: str) -> dict[str, str]:
    value = table.get(key, {})
    pairs = cast("dict[str, object]", value) if isinstance(value, dict) else {"": None}
    if not all(isinstance(item, str) for item in pairs.values()):
        raise BadArgument(f"{_key(key)} must be a table of texts.")
    return cast("dict[str, str]", pairs)
