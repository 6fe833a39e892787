"""The settings file of a vault, `commonplace.toml`, parsed from its text.

A key that is unknown or of the wrong kind is an error that names it, because a mistyped policy that
is silently ignored would be worse than none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
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
    for key in table.keys() - _READERS.keys():
        known = ", ".join(sorted(_READERS))
        raise BadArgument(f"{CONFIG_FILE}: unknown key {key!r}. Known: {known}.")
    found = {_FIELDS.get(key, key): _READERS[key](value) for key, value in table.items()}
    return Config(**found)  # pyright: ignore[reportArgumentType]


def _roots(given: object) -> tuple[tuple[str, str], ...]:
    named = _texts_by_name(given, "roots")
    if any("\0" in where for where in named.values()):
        raise BadArgument(f"{_key('roots')}: a folder's name cannot hold a NUL character.")
    return tuple(named.items())


def _tools(given: object) -> tuple[str, ...]:
    return families_of(_texts(given, "tools"), _key("tools"))


def _read_only(given: object) -> bool:
    if not isinstance(given, bool):
        raise BadArgument(f"{_key('read_only')} must be true or false.")
    return given


def _policies(given: object) -> dict[str, str]:
    return policies_of(_texts_by_name(given, "policy").items(), _key("policy"))


def _embeddings(given: object) -> str:
    if not isinstance(given, str):
        raise BadArgument(f"{_key('embeddings')} must be a text: local, none, or URL#MODEL.")
    return embeddings_of(given, _key("embeddings"))


def _attachments(given: object) -> str:
    if not isinstance(given, str):
        raise BadArgument(f"{_key('attachments')} must be a text: the folder for new attachments.")
    from commonplace.core import paths

    try:
        paths.folder_path(given.removeprefix("./").strip("/"))
    except BadArgument as error:
        raise BadArgument(f"{_key('attachments')}: {error}") from None
    return given


def _history(given: object) -> tuple[int, int]:
    """Read how long the history is kept: days and megabytes, both at least 1."""
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


def _texts(value: object, key: str) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(item, str) for item in items):
        raise BadArgument(f"{_key(key)} must be a list of texts.")
    return tuple(cast("list[str]", items))


def _texts_by_name(value: object, key: str) -> dict[str, str]:
    pairs = cast("dict[str, object]", value) if isinstance(value, dict) else {"": None}
    if not all(isinstance(item, str) for item in pairs.values()):
        raise BadArgument(f"{_key(key)} must be a table of texts.")
    return cast("dict[str, str]", pairs)


_READERS: Mapping[str, Callable[[object], object]] = {
    "roots": _roots,
    "tools": _tools,
    "read_only": _read_only,
    "always_load": partial(_texts, key="always_load"),
    "ignore": partial(_texts, key="ignore"),
    "policy": _policies,
    "suggestions": _suggestions,
    "embeddings": _embeddings,
    "store": partial(_texts_by_name, key="store"),
    "attachments": _attachments,
    "history": _history,
}
"""Each key that a file may have, and what reads its value."""

_FIELDS = {"policy": "policies"}
"""Keys whose field of `Config` has another name."""
