"""The YAML block at the top of a note: find it, read it, change it.

A change touches only the lines of the properties that change. All else (order, comments, quotes,
blank lines, the body) keeps its bytes. Only a block that is not laid out a property after another
(one `{a: 1}`, say) is written anew, from fence to fence. Reading never fails: a block that is not
valid YAML has no properties and says why. Changing such a block is refused, so that nothing in it
is lost.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from commonplace.core.frontmatter import entries
from commonplace.core.frontmatter.values import Fault, Json, load, normalised, same_properties
from commonplace.core.frontmatter.yaml import dump
from commonplace.errors import BadArgument

__all__ = [
    "YAML_BYTES_MAX",
    "Frontmatter",
    "FrontmatterBlock",
    "Json",
    "body",
    "change",
    "dump",
    "read",
    "read_block",
    "remove",
    "replace",
    "split",
]

YAML_BYTES_MAX = 64 * 1024  # bytes of YAML
_FENCE_MAX = 256

_OPEN = re.compile(r"---[ \t\r]*\n")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrontmatterBlock:
    """Where the block's YAML starts and ends, and where the body starts, in code points."""

    start: int
    end: int
    body_start: int
    yaml: str


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """A note's properties; when there is an error there are none."""

    properties: dict[str, Json]
    error: str | None = None


def split(text: str) -> FrontmatterBlock | None:
    """Find the block: a first line `---`, at most 64 KiB of YAML, a line `---` or `...`."""
    opened = _OPEN.match(text)
    if not opened:
        return None
    start = opened.end()
    limit = start + YAML_BYTES_MAX + _FENCE_MAX
    closed = _CLOSE.search(text, start, limit)
    # A fence that ends where the search had to end may go on beyond.
    if not closed or closed.end() == limit < len(text):
        return None
    yaml = text[start : closed.start()]
    if len(yaml.encode("utf-8", "surrogatepass")) > YAML_BYTES_MAX:
        return None
    return FrontmatterBlock(start, closed.start(), closed.end(), yaml)


def body(text: str) -> str:
    """Return the text after the block; blank lines between belong to neither."""
    block = split(text)
    return text[block.body_start :].lstrip("\n") if block else text


def read(text: str) -> Frontmatter:
    """Read the properties of a note."""
    return read_block(split(text))


def read_block(block: FrontmatterBlock | None) -> Frontmatter:
    """Read the properties of a note whose block was found already."""
    found = load(block.yaml) if block else {}
    if isinstance(found, Fault):
        return Frontmatter({}, _complaint(found))
    return Frontmatter(found)


def replace(text: str, properties: Mapping[str, object]) -> str:
    """Make `properties` the note's properties.

    An empty mapping removes the block and nothing behind it; where the body would then be taken
    for a block itself, an empty block stays.
    """
    wanted = normalised(properties)
    block = split(text)
    if block is None:
        return _with_block(text, wanted)
    current = load(block.yaml)
    if isinstance(current, Fault):
        raise BadArgument(
            f"{_complaint(current)} Mend that first, with edit or by giving the"
            " whole content with its block, then change its properties."
        )
    if same_properties(current, wanted):
        return text
    if not wanted:
        body = text[block.body_start :]
        return f"---\n---\n{body}" if split(body) else body
    yaml = entries.spliced(block.yaml, current, wanted)
    if yaml is None:
        yaml = dump({name: wanted[name] for name in [*current, *wanted] if name in wanted})
    return text[: block.start] + _fitting(yaml) + text[block.end :]


def change(text: str, name: str, value: object) -> str:
    """Set one property."""
    return replace(text, {**_properties(text), name: value})


def remove(text: str, name: str) -> str:
    """Remove one property, if it is there; with the last one goes the block."""
    properties = _properties(text)
    properties.pop(name, None)
    return replace(text, properties)


def _properties(text: str) -> dict[str, Json]:
    return read(text).properties


def _with_block(text: str, wanted: dict[str, Json]) -> str:
    if not wanted:
        return text
    opened = _OPEN.match(text)
    if opened and _CLOSE.search(text, opened.end()):
        raise BadArgument(
            f"The frontmatter of this note is over {YAML_BYTES_MAX // 1024} KiB. Shorten it first."
        )
    return f"---\n{_fitting(dump(wanted))}---\n{text}"


def _fitting(yaml: str) -> str:
    if len(yaml.encode("utf-8", "surrogatepass")) > YAML_BYTES_MAX:
        raise BadArgument(
            f"The properties would take over {YAML_BYTES_MAX // 1024} KiB. Shorten them."
        )
    return yaml


def _complaint(fault: Fault) -> str:
    # The block's first line is the note's second.
    return f"The frontmatter is not valid YAML (line {fault.line + 1}: {fault.reason})."
