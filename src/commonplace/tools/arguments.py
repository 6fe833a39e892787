"""The arguments of a tool call: made regular, then checked, each complaint naming its parameter.

Assistants send `null`, `"null"` or `"undefined"` for what they do not mean to give, and numbers as
text; both are put right before the schema is asked. A required parameter is never taken for
absent: `"null"` is a fine text to search for. What gets through holds no NUL, no lone surrogate,
no number that is not finite, and only so much nesting, so no tool has to think of these.
"""

import copy
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, cast

from commonplace.errors import BadArgument

NESTING_MAX = 32
NUMERIC_TEXT_MAX = 32
SHOWN_MAX = 60
FAULTS_MAX = 10

_ABSENT = (None, "null", "undefined")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_KINDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "an object",
    "string": "text",
}

Schema = Mapping[str, object]
Check = Callable[[Mapping[str, object]], dict[str, object]]


class _Fault(Protocol):
    """The part of a `jsonschema` error that is read here."""

    validator: str
    validator_value: object
    instance: object

    @property
    def absolute_path(self) -> Sequence[str | int]: ...


class _Compiled(Protocol):
    def iter_errors(self, instance: object) -> Iterable[_Fault]: ...


def checker(schema: Schema) -> Check:
    """Compile a tool's input schema into a function from raw arguments to arguments fit for use.

    The function raises `BadArgument`, one line for each thing that is wrong.
    """
    from jsonschema import Draft202012Validator  # 60 ms that a listing does not need

    compiled = cast("_Compiled", Draft202012Validator(schema))

    def check(raw: Mapping[str, object]) -> dict[str, object]:
        given = _regular(schema, raw)
        complaints = [*_missing(schema, given), *_unknown(schema, given), *_unfit(given)]
        complaints = complaints or [_complaint(fault) for fault in compiled.iter_errors(given)]
        if complaints:
            raise BadArgument("\n".join(complaints[:FAULTS_MAX]))
        return _with_defaults(schema, given)

    return check


def _regular(schema: Schema, raw: Mapping[str, object]) -> dict[str, object]:
    properties, required = _properties(schema), _required(schema)
    return {
        name: _as_number(value, properties.get(name, {}))
        for name, value in raw.items()
        if name in required or name not in properties or value not in _ABSENT
    }


def _as_number(value: object, schema: Schema) -> object:
    kinds = _kinds(schema)
    if not isinstance(value, str) or "string" in kinds or not {"number", "integer"} & set(kinds):
        return value
    text = value.strip()
    if len(text) > NUMERIC_TEXT_MAX or not _NUMBER.fullmatch(text):
        return value
    return float(text) if "." in text else int(text)


def _with_defaults(schema: Schema, given: dict[str, object]) -> dict[str, object]:
    for name, entry in _properties(schema).items():
        if "default" in entry and name not in given:
            given[name] = copy.deepcopy(entry["default"])
    return given


def _missing(schema: Schema, given: Mapping[str, object]) -> list[str]:
    absent = [name for name in _required(schema) if name not in given]
    return [f"The required parameter `{name}` is missing." for name in absent]


def _unknown(schema: Schema, given: Mapping[str, object]) -> list[str]:
    properties = _properties(schema)
    if schema.get("additionalProperties") is not False:
        return []
    takes = ", ".join(f"`{name}`" for name in properties) or "no parameters"
    return [
        f"Unknown parameter `{shown(name)}`. This tool takes: {takes}."
        for name in given
        if name not in properties
    ]


def _unfit(given: Mapping[str, object]) -> list[str]:
    found = ((name, _flaw([name, value])) for name, value in given.items())
    return [f"`{shown(name)}` {flaw}" for name, flaw in found if flaw]


def _flaw(root: object) -> str | None:
    """Say what no tool should meet in a value, however deep; a stack, since input may be deep."""
    stack: list[tuple[object, int]] = [(root, 0)]
    while stack:
        value, depth = stack.pop()
        if depth > NESTING_MAX:
            return f"is nested more than {NESTING_MAX} levels deep."
        if isinstance(value, dict):
            members = cast("dict[object, object]", value)
            stack += [(part, depth + 1) for pair in members.items() for part in pair]
        elif isinstance(value, list):
            stack += [(part, depth + 1) for part in cast("list[object]", value)]
        elif flaw := _scalar_flaw(value):
            return flaw
    return None


def _scalar_flaw(value: object) -> str | None:
    if isinstance(value, str):
        if "\0" in value:
            return "holds a NUL character. Send plain text."
        if _LONE_SURROGATE.search(value):
            return "holds half of a surrogate pair, which is not text. Send valid Unicode."
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a finite number."
    return None


def _complaint(fault: _Fault) -> str:
    if not fault.absolute_path:
        return f"The arguments together {_expectation(fault)}."
    head, *rest = fault.absolute_path
    where = shown(str(head)) + "".join(f"[{shown(str(step))}]" for step in rest)
    return f"`{where}` {_expectation(fault)}, got {_described(fault.instance)}."


def _expectation(fault: _Fault) -> str:
    value = fault.validator_value
    match fault.validator:
        case "type":
            return f"must be {_either(_kinds({'type': value}))}"
        case "enum":
            options = (json.dumps(v, ensure_ascii=False) for v in cast("list[object]", value))
            return f"must be one of {', '.join(options)}"
        case "minimum":
            return f"must be at least {value}"
        case "maximum":
            return f"must be at most {value}"
        case "minItems":
            return f"must hold {value} or more items"
        case rule:
            return f"must satisfy {rule} {json.dumps(value, ensure_ascii=False)}"


def _either(kinds: Iterable[str]) -> str:
    return " or ".join(_KINDS.get(kind, kind) for kind in kinds if kind != "null")


def _described(value: object) -> str:
    match value:
        case str():
            return f'the text "{shown(value)}"'
        case None | bool() | int() | float():
            return shown(json.dumps(value))
        case list():
            items = cast("list[object]", value)
            return f"a list of {len(items)}" if items else "an empty list"
        case _:
            return "an object"


def shown(text: str) -> str:
    """Return a caller's text cut short, with whatever does not print escaped, fit for a message."""
    cut = text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def _properties(schema: Schema) -> Mapping[str, Schema]:
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


def _required(schema: Schema) -> Sequence[str]:
    return cast("Sequence[str]", schema.get("required", ()))


def _kinds(schema: Schema) -> list[str]:
    kinds = cast("str | list[str]", schema.get("type", []))
    return [kinds] if isinstance(kinds, str) else kinds
