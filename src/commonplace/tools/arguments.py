"""The arguments of a tool call: made regular, then checked, each complaint naming its parameter.

Assistants send `null`, `"null"` or `"undefined"` for what they do not mean to give, and numbers,
booleans, lists and objects as text; both are put right before the schema is asked. A required
parameter is never taken for absent: `"null"` is a fine text to search for. An unknown one is
refused, also where the schema is open: what is ignored is taken for done. What gets through holds
no NUL, no lone surrogate, no number that is not finite, and only so much nesting, so no tool has to
think of these.
"""

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Protocol, cast

from commonplace.core.plain_data import flaw_in
from commonplace.errors import BadArgument

NUMERIC_TEXT_MAX = 32
_SHOWN_MAX = 60
FAULTS_MAX = 10

_ABSENT = (None, "null", "undefined")
_BOOLEANS = {"true": True, "false": False}
# Names by which other tools and programs call the same thing, the likelier first.
_ALIKE = (
    ("path", "file_path", "folder", "directory", "id", "note", "file", "filename"),
    ("content", "new_string", "text", "body"),
    ("-i", "case_insensitive", "ignore_case"),
    ("offset", "start_line", "start"),
    ("limit", "head_limit", "end_line", "top", "count", "max_results"),
    ("query", "pattern", "search"),
    ("frontmatter", "properties", "tags", "metadata"),
    ("source", "from"),
    ("target", "to"),
    ("title", "name"),
)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_KINDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "an object",
    "string": "text",
}

# What a schema may say for its values to be checked without a validator.
_PLAIN_ROOT = {"type", "properties", "required", "additionalProperties"}
_PLAIN_ENTRY = {"type", "description", "default", "enum", "minimum", "maximum"}

Schema = Mapping[str, object]
ArgumentCheck = Callable[[Mapping[str, object]], dict[str, object]]


class _SchemaFault(Protocol):
    """The part of a `jsonschema` error that is read here."""

    validator: str
    validator_value: object
    instance: object

    @property
    def absolute_path(self) -> Sequence[str | int]: ...


class _Compiled(Protocol):
    def iter_errors(self, instance: object) -> Iterable[_SchemaFault]: ...


def checker(schema: Schema) -> ArgumentCheck:
    """Compile a tool's input schema into a function from raw arguments to arguments fit for use.

    The function raises `BadArgument`, one line for each thing that is wrong.
    """

    @cache
    def compiled() -> _Compiled:
        from jsonschema import Draft202012Validator  # slow to load, and seldom needed

        return cast("_Compiled", Draft202012Validator(schema))

    def check(raw: Mapping[str, object]) -> dict[str, object]:
        given = _regular(schema, raw)
        complaints = [*_missing(schema, given), *_unknown(schema, given), *_unfit(given)]
        if not complaints and not plainly_valid(schema, given):
            complaints = [_complaint(fault) for fault in compiled().iter_errors(given)]
        if complaints:
            raise BadArgument("\n".join(complaints[:FAULTS_MAX]))
        return _with_defaults(schema, given)

    return check


def plainly_valid(schema: Schema, given: Mapping[str, object]) -> bool:
    """Tell without a validator that known parameters are valid; False says nothing."""
    properties = _properties(schema)
    return schema.keys() <= _PLAIN_ROOT and all(
        _is_plain(value, properties[name]) for name, value in given.items()
    )


def _is_plain(value: object, entry: Schema) -> bool:
    kind = entry.get("type")
    if not entry.keys() <= _PLAIN_ENTRY:
        return False
    if isinstance(value, str):
        options = cast("Sequence[object] | None", entry.get("enum"))
        return kind == "string" and (options is None or value in options)
    if isinstance(value, bool):
        return kind == "boolean" and "enum" not in entry
    if isinstance(value, int) and kind in ("number", "integer") and "enum" not in entry:
        least, most = entry.get("minimum", value), entry.get("maximum", value)
        return cast("float", least) <= value <= cast("float", most)
    return False


def _regular(schema: Schema, raw: Mapping[str, object]) -> dict[str, object]:
    properties, required = _properties(schema), _required(schema)
    return {
        name: _from_text(value, properties.get(name, {}))
        for name, value in raw.items()
        if name in required or name not in properties or value not in _ABSENT
    }


def _from_text(value: object, schema: Schema) -> object:
    """Return what a text means where the schema takes no text, if that is unambiguous."""
    if not isinstance(value, str) or "string" in _kinds(schema):
        return value
    kinds = set(_kinds(schema))
    text = value.strip()
    if kinds & {"number", "integer"} and len(text) <= NUMERIC_TEXT_MAX and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if "boolean" in kinds:
        return _BOOLEANS.get(text.lower(), value)
    if kinds & {"object", "array"} and text[:1] in ("{", "["):
        return _from_json(text, value)
    return value


def _from_json(text: str, value: object) -> object:
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):
        return value


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
    if given.keys() <= properties.keys():
        return []
    takes = ", ".join(f"`{name}`" for name in properties) or "no parameters"
    return [
        f"Unknown parameter `{shown(name)}`.{_meant(name, properties)} This tool takes: {takes}."
        for name in given
        if name not in properties
    ]


def _meant(name: str, known: Mapping[str, object]) -> str:
    """Name the parameter that is nearest, by what it is for or by its letters."""
    near = get_close_matches(name.lower(), known, n=1) if len(name) <= _SHOWN_MAX else []
    alike = [each for names in _ALIKE if name in names for each in names if each in known]
    found = [*alike, *near]
    return f" Did you mean `{found[0]}`?" if found else ""


def _unfit(given: Mapping[str, object]) -> list[str]:
    found = ((name, flaw_in([name, value])) for name, value in given.items())
    return [f"`{shown(name)}` {flaw}" for name, flaw in found if flaw]


def _complaint(fault: _SchemaFault) -> str:
    if not fault.absolute_path:
        return f"The arguments together {_expectation(fault)}."
    head, *rest = fault.absolute_path
    where = shown(str(head)) + "".join(f"[{shown(str(step))}]" for step in rest)
    return f"`{where}` {_expectation(fault)}, got {_described(fault.instance)}."


def _expectation(fault: _SchemaFault) -> str:
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
    cut = text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def _properties(schema: Schema) -> Mapping[str, Schema]:
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


def _required(schema: Schema) -> Sequence[str]:
    return cast("Sequence[str]", schema.get("required", ()))


def _kinds(schema: Schema) -> list[str]:
    kinds = cast("str | list[str]", schema.get("type", []))
    return [kinds] if isinstance(kinds, str) else kinds
