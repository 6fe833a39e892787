"""Everything that an index keeps of one note, worked out from its text.

All but the suggestions is read from the *accepted view*: what a reader sees when every pending
suggestion is accepted.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from commonplace.core import critic, frontmatter, links, markdown, paths, properties
from commonplace.core.links import NameKind
from commonplace.core.text import words
from commonplace.core.text.words import fold

_NAMES_MAX = 64
CONTEXT_CHARS = 120

_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class LinkRow(NamedTuple):
    """A link as it stands in the text; what it means is settled against the other notes."""

    target: str
    key: str
    kind: str
    start: int
    end: int


SuggestionRow = tuple[str, str, int, str, str, str | None, float | None, str, str]
"""A suggestion that waits: id, kind, line, both its texts, author, time, what stands around it."""


@dataclass(frozen=True, slots=True)
class Digest:
    """One note as the index keeps it; words and characters are counted without the properties."""

    text: str
    title: str
    words: int
    chars: int
    headings: int
    code_blocks: int
    wikilinks: int
    frontmatter: str
    fault: str | None
    names: tuple[tuple[str, NameKind, str], ...]
    links: tuple[LinkRow, ...]
    tags: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]
    pending: tuple[SuggestionRow, ...]
    search_title: str
    search_body: str


def digest(path: str, marked: str) -> Digest:
    """Read a note's text, pending suggestions included."""
    text = critic.accepted(marked)
    block = frontmatter.split(text)
    scanned = markdown.scan_split(text, block)
    front = frontmatter.read_block(block)
    title = markdown.title(scanned, front.properties, paths.stem(path))
    search_title, search_body = searchable(title, text)
    content = frontmatter.body(text)
    return Digest(
        text=text,
        title=title,
        words=words.count(content),
        chars=len(content),
        headings=len(scanned.headings),
        code_blocks=scanned.code_blocks,
        wikilinks=sum(link.kind != "markdown" for link in scanned.links),
        frontmatter=_as_json(front.properties),
        fault=front.error,
        names=_names(path, title, front.properties),
        links=tuple(
            LinkRow(link.target, links.name_key(link.target), link.kind, link.start, link.end)
            for link in scanned.links
        ),
        tags=markdown.all_tags(scanned, front.properties).tags,
        properties=tuple(dict.fromkeys(properties.flatten(front.properties))),
        pending=tuple(suggestion_row(marked, each) for each in critic.suggestions(marked)),
        search_title=search_title,
        search_body=search_body,
    )


def suggestion_row(marked: str, each: critic.Suggestion) -> SuggestionRow:
    """Return a suggestion in a text as the index keeps it."""
    return (
        each.id,
        str(each.kind),
        each.line,
        each.old,
        each.new,
        each.author,
        each.time,
        *_context(marked, each),
    )


def _context(marked: str, suggestion: critic.Suggestion) -> tuple[str, str]:
    """Return what stands before and after a suggestion in its line."""
    before = marked[max(0, suggestion.start - CONTEXT_CHARS) : suggestion.start].rpartition("\n")[2]
    after = marked[suggestion.end : suggestion.end + CONTEXT_CHARS].partition("\n")[0]
    return critic.accepted(before), critic.accepted(after)


def searchable(title: str, text: str) -> tuple[str, str]:
    """Return a note's title and body as the full-text index takes them.

    To take a note out, the index is given the very same text once more.
    """
    block = frontmatter.split(text)
    return words.search_form(title), words.search_form(text[block.body_start :] if block else text)


def _names(
    path: str, title: str, found: Mapping[str, object]
) -> tuple[tuple[str, NameKind, str], ...]:
    stem = paths.stem(path)
    names = [(links.name_key(stem), NameKind.FILE, "")]
    names += [
        (links.name_key(alias), NameKind.ALIAS, alias)
        for alias in markdown.aliases(found)[:_NAMES_MAX]
    ]
    if fold(title) != fold(stem):
        names.append((links.name_key(title), NameKind.TITLE, title))
    return tuple(dict.fromkeys(names))
