"""What a block of YAML says, as JSON values; hostile YAML is a fault, never an exception.

Three things are not what YAML's own rules would give: an unquoted `[[Note]]`, a list in a list to
YAML, is read as the link that its writer meant; an integer beyond 64 bits is read as text, so that
a long id keeps its digits; and not-a-number or an infinity, which JSON lacks, is text too.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from ryaml import loads  # pyright: ignore[reportPrivateImportUsage]

from commonplace.errors import BadArgument

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_NESTING_MAX = 128
# Sixteen aliases make at most about 360 copies of a value; the parser's own limit counts nodes,
# and would let 60 KB of aliases to one long string grow to gigabytes.
ALIASES_MAX = 16
_BRACKETS_MAX = 500
_LONG_INTEGERS_MAX = 16

_ANCHOR = re.compile(r"(?:^|[\s\[{,:?-])&[^\s,\[\]{}]", re.MULTILINE)
_ALIAS = re.compile(r"(?:^|[\s\[{,:?-])\*[^\s,\[\]{}*]", re.MULTILINE)
_NUMBER_KEY = re.compile(
    r"""(?<![^\s{,?])
        ([-+]?(?:0|[1-9]\d{0,18})(?:\.\d{0,18})?(?:[eE][-+]?\d{1,3})?|(?i:true|false))
        [ \t]*:(?=\s|$)""",
    re.VERBOSE,
)
_BRACKET = re.compile(r"[\[\]{}]")
_PLACE = re.compile(r" at line (?P<line>\d+) column (?P<column>\d+)")
_BYTE = re.compile(r" at position (?P<byte>\d+)")
_REPEATED = re.compile(r'^duplicate entry with key "(?P<name>.*)"$')
_LONG_INTEGER = re.compile(r"[-+]?\w{16,}")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a block cannot be read, and the line of the block, counted from 1."""

    line: int
    reason: str


def load(yaml: str) -> dict[str, Json] | Fault:
    """Read a block of YAML that must be a mapping, or empty."""
    if _too_deep(yaml):
        return Fault(1, "the values are nested too deep")
    if "&" in yaml and _ANCHOR.search(yaml) and len(_ALIAS.findall(yaml)) > ALIASES_MAX:
        return Fault(1, f"more than {ALIASES_MAX} aliases (*name)")
    if _confuses_keys(yaml):
        return Fault(1, "keys such as 1, 1.0 and true cannot be told apart; quote them")
    try:
        found = _parsed(yaml)
        if found is None:
            return {}
        if isinstance(found, dict):
            return _mapping(cast("Mapping[object, object]", found), 1)
    except (ValueError, BadArgument) as error:
        return _fault(str(error), yaml)
    return Fault(1, "it is not made of `name: value` lines")


def normalised(properties: Mapping[str, object]) -> dict[str, Json]:
    """Give the properties as they will read once they are written."""
    return _mapping(properties, 1)


def same(one: Json, other: Json) -> bool:
    """Compare two values; unlike for `==`, 1, 1.0 and true differ, as does the order of names."""
    return json.dumps(one) == json.dumps(other)


def same_properties(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Compare two sets of properties, whatever their order."""
    return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)


def _parsed(yaml: str) -> object:
    """Parse, quoting integers that are too long for the parser as they turn up."""
    for _ in range(_LONG_INTEGERS_MAX):
        try:
            return cast("object", loads(yaml))
        except ValueError as error:
            if "invalid type: integer" not in str(error):
                raise
            yaml = _with_quoted(yaml, str(error))
    return cast("object", loads(yaml))


def _with_quoted(yaml: str, error: str) -> str:
    place = _PLACE.search(error)
    lines = yaml.split("\n")
    line, column = (int(place["line"]) - 1, int(place["column"]) - 1) if place else (0, 0)
    if line < len(lines) and (number := _LONG_INTEGER.match(lines[line], column)):
        quoted = f"{lines[line][:column]}'{number[0]}'{lines[line][number.end() :]}"
        return "\n".join([*lines[:line], quoted, *lines[line + 1 :]])
    return yaml


def _mapping(found: Mapping[object, object] | Mapping[str, object], depth: int) -> dict[str, Json]:
    mapping: dict[str, Json] = {}
    for key, value in found.items():
        name = _name(key)
        if name in mapping:
            raise BadArgument(f'duplicate entry with key "{name}"')
        mapping[name] = _value(value, depth)
    return mapping


def _value(value: object, depth: int) -> Json:
    if depth > _NESTING_MAX:
        raise BadArgument("The properties are nested too deep. Flatten them.")
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else _name(value)
        case [[str(name)]] if not any(c in name for c in "[]\n"):
            return f"[[{name}]]"
        case list() | tuple():
            items = cast("list[object]", value)
            return [_value(item, depth + 1) for item in items]
        case Mapping():
            return _mapping(cast("Mapping[object, object]", value), depth + 1)
        case _:
            kind = type(value).__name__
            raise BadArgument(f"A property cannot be a {kind}. Use text, numbers, lists or maps.")


def _name(key: object) -> str:
    """Spell a key, or a number that JSON lacks, as YAML does."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, float) and not math.isfinite(key):
        return ".nan" if math.isnan(key) else ".inf" if key > 0 else "-.inf"
    return str(key)


def _too_deep(yaml: str) -> bool:
    """Tell whether brackets open so deep that the parser would take seconds to refuse them."""
    if yaml.count("[") + yaml.count("{") <= _BRACKETS_MAX:
        return False
    depth = deepest = 0
    for bracket in _BRACKET.finditer(yaml):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest > _BRACKETS_MAX


def _confuses_keys(yaml: str) -> bool:
    """Tell whether keys differ that are equal in Python, where one value would be lost."""
    names = {name.lower() for name in _NUMBER_KEY.findall(yaml)}
    return len({_number(name) for name in names}) < len(names)


def _number(name: str) -> float:
    if name in {"true", "false"}:
        return name == "true"
    return float(name) if "." in name or "e" in name else int(name)


def _fault(error: str, yaml: str) -> Fault:
    """Tell the line from the parser's words, which say it in three ways or not at all."""
    if place := _PLACE.search(error):
        # What is missing at the end is missed on the fence.
        line = min(int(place["line"]), yaml.count("\n") or 1)
        return Fault(line, _PLACE.sub("", error).partition(", while ")[0])
    if place := _BYTE.search(error):
        before = yaml.encode("utf-8", "surrogatepass")[: int(place["byte"])]
        return Fault(before.count(b"\n") + 1, _BYTE.sub("", error))
    if repeated := _REPEATED.match(error):
        return Fault(_second_line(yaml, repeated["name"]), error)
    return Fault(1, error.partition(", while ")[0])


def _second_line(yaml: str, name: str) -> int:
    lines = enumerate(yaml.split("\n"), 1)
    found = [at for at, line in lines if line.partition(":")[0].strip("'\" ") == name]
    return found[1] if len(found) > 1 else 1
