"""A block's YAML as the lines of each property, so that a change rewrites only its own.

The cut goes by the look of lines and can be fooled (a quoted value that runs on at the margin).
So `spliced` checks the names that it found, and its outcome, against what YAML says of both, and
gives up when they disagree.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, pairwise

from commonplace.core.frontmatter import yaml as yaml_text
from commonplace.core.frontmatter.values import Fault, Json, load, same, same_properties
from commonplace.core.frontmatter.yaml import Style

_COMMENTS_MAX = 8  # places on a line that look like the start of a comment

_KEY = re.compile(
    r"""(?P<key> "(?:[^"\\]|\\.)*"[ \t]*
               | '(?:[^']|'')*'[ \t]*
               | (?![-?:](?:\s|$)) [^\s\#&*!|>'"%@`\[\]{},] .*?
        ) : (?=[ \t\r]|$)""",
    re.VERBOSE,
)
_LIST = re.compile(r"[ \t]*(?:#.*)?\n(?P<dash> *)-\s")
_OPENING = re.compile(r"[ \t]*(?P<flow>[\[{](?![ \t]*[\]}]))?\s*(?P<quote>[\"'])?")
_DATE = re.compile(r"[ \t]*\d{4}-\d\d-\d\d")
_COMMENT = re.compile(r"[ \t]+#")


@dataclass(frozen=True, slots=True)
class PropertyLines:
    """The lines of one property; `key` is how they start, without the colon."""

    name: str
    key: str
    text: str

    @property
    def value(self) -> str:
        """The raw text behind the colon."""
        return self.text[len(self.key) + 1 :]


@dataclass(frozen=True, slots=True)
class Gap:
    """Blank lines and comments between properties: nobody's, and never touched."""

    text: str


def spliced(yaml: str, current: Mapping[str, Json], wanted: Mapping[str, Json]) -> str | None:
    """Turn a block that says `current` into one that says `wanted`, rewriting only what differs.

    None if the block is not laid out in a property's lines after another's.
    """
    parts = cut(yaml)
    entries = [part for part in parts if isinstance(part, PropertyLines)]
    if [entry.name for entry in entries] != list(current):
        return None
    dash = next((dash for entry in entries if (dash := _dash(entry)) is not None), "  ")
    lines = [
        part.text if isinstance(part, Gap) else _kept(part, current[part.name], wanted, dash)
        for part in parts
    ]
    lines += [
        yaml_text.entry(yaml_text.key(name), value, Style(dash=dash))
        for name, value in wanted.items()
        if name not in current
    ]
    return _checked("".join(lines), wanted)


def cut(yaml: str) -> list[PropertyLines | Gap]:
    """Cut a block into entries and gaps, which together are the block."""
    lines = _lines(yaml)
    starts = [at for at, line in enumerate(lines) if _KEY.match(line)]
    parts: list[PropertyLines | Gap] = [Gap("".join(lines[: starts[0] if starts else None]))]
    for start, end in pairwise([*starts, len(lines)]):
        last = end
        while _is_gap(lines[last - 1]):
            last -= 1
        parts += [_entry(lines[start:last]), Gap("".join(lines[last:end]))]
    return parts


def _checked(yaml: str, wanted: Mapping[str, Json]) -> str | None:
    found = load(yaml)
    if isinstance(found, Fault) or not same_properties(found, wanted):
        return None
    return yaml


def _lines(text: str) -> list[str]:
    # Not `splitlines`, which knows nine kinds of line ends.
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def _is_gap(line: str) -> bool:
    return line.startswith("#") or not line.strip()


def _entry(lines: list[str]) -> PropertyLines:
    match = _KEY.match(lines[0])
    assert match, "an entry starts with its key"
    found = load(f"{match['key']}: 0\n")
    name = "" if isinstance(found, Fault) else next(iter(found), "")
    return PropertyLines(name, match["key"], "".join(lines))


def _kept(entry: PropertyLines, old: Json, wanted: Mapping[str, Json], dash: str) -> str:
    """Give the entry's lines: none, as they are, or rewritten."""
    if entry.name not in wanted:
        return ""
    new = wanted[entry.name]
    if same(old, new):
        return entry.text
    return _relisted(entry, old, new) or _rewritten(entry, old, new, dash)


def _dash(entry: PropertyLines) -> str | None:
    """Tell how far the entry's list is indented, if it is one with an item a line."""
    found = _LIST.match(entry.value)
    return found["dash"] if found else None


def _relisted(entry: PropertyLines, old: Json, new: Json) -> str | None:
    """Rewrite a list that has its items on lines, keeping the lines of the items that stay."""
    dash = _dash(entry)
    if not (isinstance(old, list) and isinstance(new, list) and new) or dash is None:
        return None
    head, *items = _items(entry, dash)
    if len(items) != len(old):
        return None
    raw = {json.dumps(item): text for item, text in zip(old, items, strict=True)}
    return head + "".join(raw.get(json.dumps(item)) or _item(item, dash) for item in new)


def _items(entry: PropertyLines, dash: str) -> list[str]:
    """Cut a list into the line of its key and the lines of each item."""
    lines = _lines(entry.text)
    starts = [0, *(at for at, line in enumerate(lines) if line[: len(dash) + 1] == f"{dash}-")]
    return ["".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]


def _item(item: Json, dash: str) -> str:
    return "".join(f"{dash}{line}\n" if line else "\n" for line in yaml_text.item(item))


def _rewritten(entry: PropertyLines, old: Json, new: Json, dash: str) -> str:
    opening = _OPENING.match(entry.value)
    own = _dash(entry)
    style = Style(
        dash=dash if own is None else own,
        flow=bool(opening and opening["flow"]),
        quote=opening["quote"] or "" if opening else "",
        plain_dates=bool(_DATE.match(entry.value)),
    )
    first, newline, rest = yaml_text.entry(entry.key, new, style).partition("\n")
    return f"{first}{_comment(entry, old)}{newline}{rest}"


def _comment(entry: PropertyLines, old: Json) -> str:
    """Find the comment that ends an entry of one line: without it, the value must be the same."""
    line = entry.text.removesuffix("\n")
    if "\n" in line:
        return ""
    for start in islice(_COMMENT.finditer(line), _COMMENTS_MAX):
        found = load(f"{line[: start.start()]}\n")
        if not isinstance(found, Fault) and same(found.get(entry.name), old):
            return line[start.start() :]
    return ""
