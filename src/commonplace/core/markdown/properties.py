"""The three properties that name a note or sort it: title, aliases and tags."""

import re
from collections.abc import Mapping
from typing import cast

_COMMA = re.compile(r"[,\n]")
_COMMA_OR_SPACE = re.compile(r"[,\s]")


def title(properties: Mapping[str, object]) -> str:
    """Give the frontmatter's title, or nothing."""
    return _text(properties.get("title"))


def aliases(properties: Mapping[str, object]) -> tuple[str, ...]:
    """Give the note's other names, in order and once each."""
    found = _listed(properties, "alias", "aliases", between=_COMMA)
    return tuple(dict.fromkeys(found))


def tags(properties: Mapping[str, object]) -> list[str]:
    """Give the frontmatter's tags without `#`, in order."""
    found = _listed(properties, "tag", "tags", between=_COMMA_OR_SPACE)
    return [name for tag in found if (name := tag.removeprefix("#").strip("/ "))]


def _listed(properties: Mapping[str, object], *names: str, between: re.Pattern[str]) -> list[str]:
    """Read the properties of these names, in any case, each a list or a text with separators."""
    found: list[str] = []
    for name, value in properties.items():
        if name.lower() not in names:
            continue
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        parts = between.split(value) if isinstance(value, str) else map(_text, items)
        found += [part.strip() for part in parts if part.strip()]
    return found


def _text(value: object) -> str:
    """Spell a text or a number; anything else names nothing."""
    spoken = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value).strip() if spoken else ""
