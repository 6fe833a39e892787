"""Properties as YAML text that every reader understands alike.

YAML 1.1 and 1.2 disagree about what an unquoted word means (`no`, `010`, `12:30`, `1e3`, dates).
So text is written plain only when it starts with a letter and no reader could take it for
anything but text; all other text is quoted. What is written here reads back as the same values
under both versions.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from commonplace.core.frontmatter.values import Json, normalised
from commonplace.errors import BadArgument

KEY_CHARS_MAX = 1000  # the longest key that YAML lets stand before a colon on one line is 1,024

_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?)?")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Style:
    """How the person writes: the indent of lists, `[a, b]`, the quotes, dates without quotes."""

    dash: str = "  "
    flow: bool = False
    quote: str = ""
    plain_dates: bool = False


PLAIN = Style()


def dump(properties: Mapping[str, object]) -> str:
    """Write properties as YAML, a line or more for each."""
    return "".join(entry(key(name), value) for name, value in normalised(properties).items())


def entry(key_text: str, value: Json, style: Style = PLAIN) -> str:
    """Write one property behind its key."""
    return "".join(f"{line}\n" for line in _pair(key_text, value, style))


def key(name: str) -> str:
    """Write a name as a key."""
    text = _text(name, Style(flow=True))
    if len(text) > KEY_CHARS_MAX:
        raise BadArgument(f"A property's name is over {KEY_CHARS_MAX} characters. Shorten it.")
    return text


def item(value: Json) -> list[str]:
    """Write a value as an item of a list: its lines, the first behind a dash."""
    if isinstance(value, dict | list) and value:
        lines = _block(value)
    else:
        lines = (_literal(value) if isinstance(value, str) else []) or [scalar(value)]
    return [f"- {lines[0]}", *_indented(lines[1:], "  ")]


def scalar(value: Json, style: Style = PLAIN) -> str:
    """Write a value on one line, behind its key or inside brackets."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if -(2**63) <= value < 2**64 else f'"{value}"'
        case float():
            return _number(value)
        case str():
            return _text(value, style)
        case list():
            return f"[{', '.join(scalar(each, replace(style, flow=True)) for each in value)}]"
        case dict():
            inner = replace(style, flow=True)
            pairs = (f"{key(name)}: {scalar(each, inner)}" for name, each in value.items())
            return f"{{{', '.join(pairs)}}}"


def _pair(key_text: str, value: Json, style: Style) -> list[str]:
    if isinstance(value, dict | list) and value and not style.flow:
        indent = style.dash if isinstance(value, list) else "  "
        return [f"{key_text}:", *_indented(_block(value), indent)]
    if value is None:
        return [f"{key_text}:"]
    if isinstance(value, str) and not style.quote and (literal := _literal(value)):
        return [f"{key_text}: {literal[0]}", *_indented(literal[1:], "  ")]
    return [f"{key_text}: {scalar(value, style)}"]


def _block(value: dict[str, Json] | list[Json]) -> list[str]:
    if isinstance(value, list):
        return [line for each in value for line in item(each)]
    return [line for name, each in value.items() for line in _pair(key(name), each, PLAIN)]


def _indented(lines: list[str], indent: str) -> list[str]:
    return [indent + line if line else "" for line in lines]


def _literal(text: str) -> list[str]:
    """Write text of several lines as a `|` block, or give nothing if that could change it."""
    lines = text.removesuffix("\n").split("\n")
    ends = [lines[0], lines[-1]]
    tame = all(line.isprintable() and line == line.rstrip() for line in lines)
    if "\n" not in text or not tame or not all(ends) or text.startswith(" "):
        return []
    return ["|" if text.endswith("\n") else "|-", *lines]


def _text(text: str, style: Style) -> str:
    if style.plain_dates and _DATE.fullmatch(text):
        return text
    if not style.quote and _is_plain(text, flow=style.flow):
        return text
    if style.quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", quoted)


def _is_plain(text: str, *, flow: bool) -> bool:
    return (
        text[:1].isalpha()
        and text.isprintable()
        and not text.endswith((" ", ":"))
        and ": " not in text
        and " #" not in text
        and text.lower() not in _WORDS
        and not (flow and any(char in ",[]{}:" for char in text))
    )


def _number(value: float) -> str:
    """Write a number so that YAML 1.1, which wants a point and a signed exponent, knows it."""
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    sign = "" if exponent.startswith("-") else "+"
    point = "" if "." in mantissa else ".0"
    return f"{mantissa}{point}e{sign}{exponent.lstrip('+')}"
