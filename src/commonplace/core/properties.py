"""Frontmatter properties as rows that can be searched.

A note's properties become (key, text) rows and a query becomes conditions on such rows, so that an
index and `matches` cannot disagree: every key of the query must have a row with one of its values.
Keys ignore case and values do not, except tags. `1` and `1.0` are one number; dates are text.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from commonplace.errors import BadArgument

PROPERTY_DEPTH_MAX = 16
TAG_PARENTS_MAX = 16

_TAGS = "tags"
_DECIMAL_BITS_MAX = 10_000  # Python refuses to write longer integers in decimal


def flatten(properties: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return a note's rows; a nested key is written `a.b`, a list gives one row an item."""
    return [(key, text) for key, value in _leaves("", properties, 0) for text in _forms(key, value)]


def wanted(query: Mapping[str, object]) -> list[tuple[str, list[str]]]:
    """Return the conditions of a query: all keys must match, each by any of its values."""
    return list(_conditions("", {**query}, 0))


def matches(properties: Mapping[str, object], query: Mapping[str, object]) -> bool:
    """Say whether a note's properties meet a query."""
    rows = set(flatten(properties))
    return all(any((key, text) in rows for text in texts) for key, texts in wanted(query))


def tag_forms(tag: str) -> list[str]:
    """Return what a tag is found by: itself without `#`, and the tags that it is nested in."""
    parts = _tag(tag).split("/")
    shortened = range(min(len(parts) - 1, TAG_PARENTS_MAX), 0, -1)
    forms = ["/".join(parts), *("/".join(parts[:size]) for size in shortened)]
    return [form for form in forms if form]


def _leaves(key: str, value: object, depth: int) -> Iterator[tuple[str, object]]:
    if depth > PROPERTY_DEPTH_MAX:
        return
    if isinstance(value, str):  # nearly all are
        yield key, value
    elif (sequence := _sequence(value)) is not None:
        for item in sequence:
            yield from _leaves(key, item, depth + 1)
    elif (mapping := _mapping(value)) is not None:
        for name, inner in _entries(key, mapping):
            yield from _leaves(name, _tag_list(name, inner), depth + 1)
    else:
        yield key, value


def _conditions(
    key: str, query: Mapping[object, object], depth: int
) -> Iterator[tuple[str, list[str]]]:
    _check_depth(depth)
    for name, value in _entries(key, query):
        if nested := _mapping(value):
            yield from _conditions(name, nested, depth + 1)
        else:
            texts = [_wanted_text(name, item) for item in _items(value, depth + 1)]
            yield name, list(dict.fromkeys(texts))


def _items(value: object, depth: int) -> Iterator[object]:
    _check_depth(depth)
    if (sequence := _sequence(value)) is not None:
        for item in sequence:
            yield from _items(item, depth + 1)
    elif (mapping := _mapping(value)) is None:
        yield value
    elif mapping:
        raise BadArgument("A list in a property query holds plain values, not objects.")


def _mapping(value: object) -> Mapping[object, object] | None:
    return cast("Mapping[object, object]", value) if isinstance(value, Mapping) else None


def _sequence(value: object) -> Sequence[object] | None:
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else None


def _check_depth(depth: int) -> None:
    if depth > PROPERTY_DEPTH_MAX:
        raise BadArgument(
            f"The property query is nested more than {PROPERTY_DEPTH_MAX} levels deep."
        )


def _entries(key: str, value: Mapping[object, object]) -> Iterator[tuple[str, object]]:
    for own, inner in value.items():
        name = unicodedata.normalize("NFC", _text(own).casefold())
        if key:
            yield f"{key}.{name}", inner
        else:
            yield _TAGS if name == "tag" else name, inner


def _tag_list(key: str, value: object) -> object:
    """Take `tags: a, b` for the list that it stands for."""
    if key == _TAGS and isinstance(value, str):
        return value.replace(",", " ").split()
    return value


def _forms(key: str, value: object) -> list[str]:
    return tag_forms(_text(value)) if key == _TAGS else [_text(value)]


def _wanted_text(key: str, value: object) -> str:
    return _tag(_text(value)) if key == _TAGS else _text(value)


def _tag(text: str) -> str:
    folded = unicodedata.normalize("NFC", text.strip().lstrip("#").casefold())
    return "/".join(part for part in folded.split("/") if part)


def _text(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if value.bit_length() <= _DECIMAL_BITS_MAX else hex(value)
        case float():
            return str(int(value)) if value.is_integer() else repr(value)
        case _:
            return unicodedata.normalize("NFC", str(value))
