"""The settings file of a vault, `commonplace.toml`, parsed from its text.

A key that is unknown or of the wrong kind is an error that names it, because a mistyped policy that
is silently ignored would be worse than none.
"""

from dataclasses import dataclass, field
from typing import cast

from commonplace.errors import BadArgument
from commonplace.vault.settings import (
    CONFIG_FILE,
    Retention,
    SuggestionStyle,
    embeddings_of,
    families_of,
    policies_of,
)


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
        raise BadArgument(f"{_key('roots')}: a folder's name cannot hold a NUL character.")
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
