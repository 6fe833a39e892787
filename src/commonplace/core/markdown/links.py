"""Links as they stand in a note: what each names, and the bytes that a rename would replace.

All offsets count UTF-8 bytes of the whole note. `target_start` and `target_end` hold the raw
target without heading, block, alias or title, so that splicing another name there keeps the
link's form. The target of a reference link stands in its definition: outside the link itself, and
shared by every link that uses the definition.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote

from commonplace.core.frontmatter import FrontmatterBlock
from commonplace.core.frontmatter.values import Fault, Json, load
from commonplace.core.markdown.byte_offsets import byte_offsets

LinkKind = Literal["wikilink", "embed", "markdown"]

_PARTS = re.compile(r"([^\[\]\n#^]+)(?:#|(?=\^)|$)(.*)", re.DOTALL)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?! )|//|#")
_LABEL = re.compile(rb"\[(?:[^\[\]\\]|\\.)*\]:", re.DOTALL)
_DESTINATION = re.compile(rb"\s*(?:<(?P<pointed>(?:[^<>\\\n]|\\.)*)>|(?P<bare>\S+))")
_WIKILINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_WIKILINK_VALUE = re.compile(
    r"""(?:^|[-:,\[{]) *(?P<quote>["']?)\[\[(?P<inner>[^\[\]\n]+)\]\](?P=quote) *(?=[\n,\]}#])""",
    re.MULTILINE,
)


# A picture whose address holds a space; no `[` or `(` within, so that time is linear.
_LOOSE_IMAGE = re.compile(r"""(?<!\\)!\[([^\[\]\n]*)\]\(([^()\n<>"]+\.[A-Za-z0-9]{1,10})\)""")


class Link(NamedTuple):
    """One link to another note or file; `heading` may be a `^block`.

    A tuple, which is made faster than a frozen dataclass: notes are full of links.
    """

    kind: LinkKind
    target: str
    heading: str
    alias: str
    start: int
    end: int
    target_start: int
    target_end: int


def wikilink(kind: LinkKind, inner: str, alias: str, start: int, end: int) -> Link | None:
    """Read a wikilink or embed from what stands between its brackets, before any alias."""
    parts = _PARTS.match(inner)
    if not parts:
        return None
    raw, heading = parts.groups()
    target = raw.strip()
    if not target or "://" in target:
        return None
    at = start + (3 if kind == "embed" else 2)
    if raw[0].isspace():
        at += len(raw.encode()) - len(raw.lstrip().encode())
    return Link(kind, target, heading.strip(), alias, start, end, at, at + len(target.encode()))


def leads_elsewhere(destination: str) -> bool:
    """Tell a web or mail address, or a place in the same note, from a path."""
    return _ELSEWHERE.match(destination) is not None


def markdown_link(
    source: bytes, destination: str, alias: str, start: int, end: int, within: tuple[int, int]
) -> Link | None:
    """Read a Markdown link whose raw destination is the first thing `within` these bytes."""
    path, _, heading = destination.partition("#")
    target = (unquote(path) if "%" in path else path).strip()
    place = _located(source, destination.encode(), *within)
    if not target or place is None:
        return None
    fragment = source.find(b"#", *place)
    target_end = fragment if fragment >= 0 else place[1]
    heading = unquote(heading).strip()
    return Link("markdown", target, heading, alias, start, end, place[0], target_end)


def loose_images(body: str, offset: int) -> list[Link]:
    """Find `![](a b.png)`, wherever it stands: Obsidian shows it, CommonMark takes it for text.

    Ranges are moved by `offset` bytes.
    """
    if "](" not in body:
        return []
    found = [each for each in _LOOSE_IMAGE.finditer(body) if _has_space(each[2])]
    starts = byte_offsets(body, [each.start() for each in found])
    links: list[Link] = []
    for image, at in zip(found, starts, strict=True):
        start, (alias, target) = offset + at, image.groups()
        end = start + len(image[0].encode())
        place = end - 1 - len(target.encode())
        plain = unquote(target) if "%" in target else target
        links.append(Link("markdown", plain, "", alias.strip(), start, end, place, end - 1))
    return links


def _has_space(target: str) -> bool:
    return " " in target and target == target.strip() and not leads_elsewhere(target)


def definition(source: bytes, start: int, end: int) -> tuple[int, int]:
    """Tell where the destination of a reference definition stands: behind its label."""
    label = _LABEL.match(source, start, end)
    return (label.end() if label else end, end)


def frontmatter_links(block: FrontmatterBlock) -> list[Link]:
    """Find the properties, or items of them, that are exactly a wikilink."""
    properties = load(block.yaml) if "[[" in block.yaml else None
    if properties is None or isinstance(properties, Fault):
        return []
    whole = set(_wikilinks(properties))
    found = [
        match
        for match in _WIKILINK_VALUE.finditer(block.yaml)
        if _said(match, match["inner"]).strip() in whole
    ]
    starts = byte_offsets(block.yaml, [match.start("inner") - 2 for match in found])
    links = map(_property_link, found, (block.start + start for start in starts))
    return [link for link in links if link]


def _property_link(match: re.Match[str], start: int) -> Link | None:
    inner, _, alias = match["inner"].partition("|")
    end = start + len(match["inner"].encode()) + 4
    link = wikilink("wikilink", inner, _said(match, alias).strip(), start, end)
    if link is None:
        return None
    return link._replace(target=_said(match, link.target), heading=_said(match, link.heading))


def _said(match: re.Match[str], written: str) -> str:
    """Read a part of a value: between single quotes, one of them is written as two."""
    return written.replace("''", "'") if match["quote"] == "'" else written


def _wikilinks(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        if _WIKILINK.fullmatch(value):
            yield value[2:-2].strip()
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _wikilinks(item)


def _located(source: bytes, destination: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Find the raw destination; only one with escapes or entities differs from the read one."""
    at = source.find(destination, start, end)
    if at >= 0:
        return at, at + len(destination)
    raw = _DESTINATION.match(source, start, end)
    return raw.span(raw.lastgroup or 0) if raw else None
