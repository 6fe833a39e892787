"""What a note holds besides words: headings, links, tags and code, each with its place.

All places are UTF-8 bytes of the whole note, frontmatter included. The parser never sees the
frontmatter: it would take any `---` block, anywhere in the note, for one. Links and tags in code,
math, HTML and HTML comments are text; those in Obsidian's `%% comments %%` count, as they do in
Obsidian itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from commonplace.core import frontmatter
from commonplace.core.markdown import properties as markdown_properties
from commonplace.core.markdown.events import EventReader, Heading, Span
from commonplace.core.markdown.links import Link, frontmatter_links, loose_images
from commonplace.core.markdown.properties import aliases
from commonplace.core.markdown.tags import Tag, inline_tags, outside

__all__ = [
    "Heading",
    "Link",
    "Markdown",
    "Span",
    "Tag",
    "Tags",
    "aliases",
    "all_tags",
    "scan",
    "scan_split",
    "title",
]


@dataclass(frozen=True, slots=True)
class Markdown:
    """One note; `frontmatter` is the range of its YAML, `code` those of its code blocks."""

    frontmatter: Span | None
    body_start: int
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[Tag, ...]
    code: tuple[Span, ...]

    @property
    def code_blocks(self) -> int:
        """Count the code blocks, fenced or indented."""
        return len(self.code)


@dataclass(frozen=True, slots=True)
class Tags:
    """A note's tags, once each whatever their case, and those that its frontmatter repeats."""

    tags: tuple[str, ...]
    duplicates: tuple[str, ...]


def scan(text: str) -> Markdown:
    """Read a note."""
    return scan_split(text, frontmatter.split(text))


def scan_split(text: str, block: frontmatter.FrontmatterBlock | None) -> Markdown:
    """Read a note whose frontmatter was found already."""
    source = text.encode()
    yaml, offset = _places(block)
    body = text[block.body_start :] if block else text
    tags, loose = inline_tags(body, offset), loose_images(body, offset)
    reader = EventReader(source, body, offset, keep_opaque=bool(tags or loose))
    reader.read()
    found = reader.links
    if loose:
        found = sorted([*found, *outside(loose, reader.opaque())], key=attrgetter("start"))
    return Markdown(
        frontmatter=yaml,
        body_start=offset,
        headings=tuple(reader.headings),
        links=(*(frontmatter_links(block) if block else ()), *found),
        tags=tuple(outside(tags, reader.opaque())) if tags else (),
        code=tuple(reader.code),
    )


def title(markdown: Markdown, properties: Mapping[str, object], file_stem: str) -> str:
    """Name a note: by its frontmatter, else its first heading of level one, else its file."""
    headings = (heading.text for heading in markdown.headings if heading.level == 1)
    return markdown_properties.title(properties) or next(filter(None, headings), file_stem)


def all_tags(markdown: Markdown, properties: Mapping[str, object]) -> Tags:
    """Gather the frontmatter's tags, then the text's, without `#`."""
    tags: dict[str, str] = {}
    duplicates: dict[str, None] = {}
    for name in markdown_properties.tags(properties):
        if name.casefold() in tags:
            duplicates[name] = None
        tags.setdefault(name.casefold(), name)
    for tag in markdown.tags:
        tags.setdefault(tag.name.casefold(), tag.name)
    return Tags(tuple(tags.values()), tuple(duplicates))


def _places(block: frontmatter.FrontmatterBlock | None) -> tuple[Span | None, int]:
    """Turn the block's places into bytes; its fences are ASCII."""
    if block is None:
        return None, 0
    end = block.start + len(block.yaml.encode())
    return (block.start, end), end + block.body_start - block.end
