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

from commonplace.errors import BadArgument

FAMILIES = ("files", "notes", "graph")
OPERATIONS = ("create", "update", "delete", "rename")
POLICIES = ("allow", "ask", "suggest", "deny")
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
class Embeddings:
    """A server that makes embeddings: its URL, the model to name to it, and a key if it has one."""

    url: str
    model: str
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may come in over HTTP: by which hosts beside loopback, with a token or without one.

    `desk` marks the command line's own socket, which only the person of this machine can reach.
    """

    hosts: tuple[str, ...] = ()
    token: bool = False
    desk: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a vault is opened with."""

    roots: tuple[Root, ...]
    state: Path
    families: tuple[str, ...] = FAMILIES
    read_only: bool = False
    ignore: tuple[str, ...] = ()
    policies: dict[str, str] = field(default_factory=dict[str, str])
    suggestions: SuggestionStyle = field(default_factory=SuggestionStyle)
    locks: Path | None = None
    """Where lock files go when a root's file system cannot lock folders; shared by all vaults."""
    models: Path | None = None
    """The data folder where the local embedding model is installed; None for none."""
    embeddings: Embeddings | None = None
    """A server to be used instead of the local model."""
    access: Access = field(default_factory=Access)

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
    ignore: tuple[str, ...] = ()
    policies: dict[str, str] = field(default_factory=dict[str, str])
    suggestions: SuggestionStyle = field(default_factory=SuggestionStyle)
    embeddings: str | None = None


def vault_key(roots: tuple[Root, ...]) -> str:
    """Name the state folder of a set of roots: the same folders always share one."""
    real = sorted(str(root.path.resolve()) for root in roots)
    return hashlib.sha256("\0".join(real).encode("utf-8", "surrogateescape")).hexdigest()[:24]


def families_of(names: Iterable[str], where: str) -> tuple[str, ...]:
    """Check names of tool families; they come out once each, in the order of `FAMILIES`."""
    chosen = {_one_of(name.strip(), FAMILIES, where) for name in names}
    if not chosen:
        raise BadArgument(f"{where}: name at least one of {', '.join(FAMILIES)}.")
    return tuple(name for name in FAMILIES if name in chosen)


def policies_of(pairs: Iterable[tuple[str, str]], where: str) -> dict[str, str]:
    """Check policies: what happens on create, update, delete and rename.

    A key is an operation (`*` for each), then, if wanted, `:` and a glob of paths, then `@` and
    the name of an assistant: `update`, `delete:Journal/**`, `*@cursor`, `update:Drafts/**@claude`.
    """
    return {
        _rule(rule.strip(), where): _one_of(policy.strip(), POLICIES, f"{where} {rule.strip()}")
        for rule, policy in pairs
    }


def rule_parts(rule: str) -> tuple[str, str, str]:
    """Take the key of a policy apart: operation, glob and assistant, empty for any."""
    scope, _, actor = rule.rpartition("@") if "@" in rule else (rule, "", "")
    operation, _, folder = scope.partition(":")
    return operation.strip(), folder.strip(), actor.strip()


def _rule(rule: str, where: str) -> str:
    operation, folder, _ = rule_parts(rule)
    if operation != "*":
        _one_of(operation, OPERATIONS, where)
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
    known = {"roots", "tools", "read_only", "ignore", "policy", "suggestions", "embeddings"}
    for key in table.keys() - known:
        raise BadArgument(f"{CONFIG_FILE}: unknown key {key!r}. Known: {', '.join(sorted(known))}.")
    tools, read_only = table.get("tools"), table.get("read_only")
    if not isinstance(read_only, bool | None):
        raise BadArgument(f"{CONFIG_FILE}: read_only must be true or false.")
    return Config(
        roots=tuple(_texts_by_name(table, "roots").items()),
        tools=None if tools is None else families_of(_texts(table, "tools"), _key("tools")),
        read_only=read_only,
        ignore=_texts(table, "ignore"),
        policies=policies_of(_texts_by_name(table, "policy").items(), _key("policy")),
        suggestions=_suggestions(table.get("suggestions", {})),
        embeddings=_embeddings(table.get("embeddings")),
    )


def _embeddings(given: object) -> str | None:
    if not isinstance(given, str | None):
        raise BadArgument(f"{_key('embeddings')} must be a text: local, none, or URL#MODEL.")
    return given


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


def _one_of(value: str, allowed: tuple[str, ...], where: str) -> str:
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
