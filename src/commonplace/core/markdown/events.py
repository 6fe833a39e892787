"""The parser's events of one note, gathered into headings, links and opaque ranges.

Opaque is where no tag can be: code, math, HTML, links and the definitions of reference links.
Time is linear in the note, however deep things are nested: text goes to the innermost open link
(and the heading around it), and a link is made from its own ends. The parser itself is linear
but for embeds inside embeds; a note that nests those absurdly deep is read without wikilinks.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from pyromark import Options, events_with_range, reference_definitions

from commonplace.core.markdown.links import (
    Link,
    definition,
    leads_elsewhere,
    markdown_link,
    wikilink,
)

if TYPE_CHECKING:
    from pyromark.event import (
        Event,
        Range,
        _LinkData,  # pyright: ignore[reportPrivateUsage]
        _Tag,  # pyright: ignore[reportPrivateUsage]
        _TagEnd,  # pyright: ignore[reportPrivateUsage]
    )

EMBEDS_NESTED_MAX = 200

Span = tuple[int, int]

_OPTIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_MATH
)
_WITH_WIKILINKS = _OPTIONS | Options.ENABLE_WIKILINKS
_REFERENCES = frozenset(["Reference", "Collapsed", "Shortcut"])
_NESTING = re.compile(r"\[\[|\]\]|\n[ \t]*\n")


class Heading(NamedTuple):
    """A heading's level, its text without markup, and its range in bytes."""

    level: int
    text: str
    start: int
    end: int


@dataclass(slots=True)
class _OpenLink:
    """A link whose end has not come yet; `form` is the parser's word for how it is written."""

    form: str
    is_image: bool
    destination: str
    label: str
    start: int
    end: int
    inner_end: int
    texts: list[str]


class EventReader:
    """Reads the events of a note's body, which starts at byte `offset` of `source`.

    Most notes hold nothing that looks like a tag; then nobody asks what is opaque.
    """

    def __init__(self, source: bytes, body: str, offset: int, *, keep_opaque: bool) -> None:
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.code: list[Span] = []
        self._opaque: list[Span] | None = [] if keep_opaque else None
        self._source = source
        self._body = body
        self._offset = offset
        self._options = _OPTIONS if _nests_embeds(body) else _WITH_WIKILINKS
        # The open heading's text, and the open links; None is a link that leads elsewhere.
        self._heading: list[str] | None = None
        self._open: list[_OpenLink | None] = []

    def read(self) -> None:  # noqa: C901 (one flat loop: there are a hundred events a note)
        """Go through all events; most are no concern of a reader that has nothing open."""
        open_links, keeps_opaque = self._open, self._opaque is not None
        for event, span in events_with_range(self._body, options=self._options):
            if isinstance(event, str):
                if open_links or self._heading is not None:
                    self._say(" ", span)
            elif "Text" in event:
                if open_links or self._heading is not None:
                    self._say(event["Text"], span)
            elif "Start" in event:
                if not isinstance(tag := event["Start"], str):
                    self._start(tag, span)
            elif "End" in event:
                if open_links or self._heading is not None:
                    self._end(event["End"], span)
            elif keeps_opaque or open_links or self._heading is not None:
                self._leaf(event, span)
        self.links.sort(key=attrgetter("start"))

    def opaque(self) -> list[Span]:
        """Give the ranges where no tag can be, in order of their starts."""
        return sorted([*(self._opaque or ()), *self._definitions.values()])

    def _hide(self, span: "Range") -> None:
        if self._opaque is not None:
            self._opaque.append(self._place(span))

    def _place(self, span: "Range") -> Span:
        return span["start"] + self._offset, span["end"] + self._offset

    def _say(self, text: str, span: "Range") -> None:
        if self._heading is not None:
            self._heading.append(text)
        if self._open and (link := self._open[-1]):
            link.texts.append(text)
            link.inner_end = span["end"] + self._offset

    def _start(self, tag: "_Tag", span: "Range") -> None:
        if isinstance(tag, str):
            return
        if "Link" in tag:
            self._start_link(tag["Link"], span, is_image=False)
        elif "Image" in tag:
            self._start_link(tag["Image"], span, is_image=True)
        elif "Heading" in tag:
            self._heading = []
        elif "CodeBlock" in tag:
            self.code.append(self._place(span))
            self._hide(span)

    def _start_link(self, data: "_LinkData", span: "Range", *, is_image: bool) -> None:
        self._hide(span)
        kind, destination = data["link_type"], data["dest_url"]
        if not isinstance(kind, str):
            form = "WikiLink with alias" if kind["WikiLink"]["has_pothole"] else "WikiLink"
        elif leads_elsewhere(destination):
            self._open.append(None)
            return
        else:
            form = kind
        start, end = self._place(span)
        # The parser leaves the empty label of `[text][]` out of the range.
        end += 2 if form == "Collapsed" else 0
        inner = start + (2 if is_image else 1)
        link = _OpenLink(form, is_image, destination, data["id"], start, end, inner, [])
        self._open.append(link)

    def _end(self, tag: "_TagEnd", span: "Range") -> None:
        if isinstance(tag, str):
            if tag in ("Link", "Image") and (link := self._open.pop()):
                self._end_link(link)
        elif "Heading" in tag:
            self._end_heading(int(tag["Heading"][1]), span)
        if self._open and (outer := self._open[-1]):
            outer.inner_end = span["end"] + self._offset

    def _leaf(self, event: "Event", span: "Range") -> None:
        """Take code, math or HTML; footnote references and task boxes say nothing."""
        if isinstance(event, str) or "FootnoteReference" in event or "TaskListMarker" in event:
            return
        self._hide(span)
        if "Code" in event:
            self._say(event["Code"], span)
        elif "InlineMath" in event:
            self._say(event["InlineMath"], span)
        else:
            self._say("", span)

    def _end_heading(self, level: int, span: "Range") -> None:
        start, end = self._place(span)
        end = start + len(self._source[start:end].rstrip())
        self.headings.append(Heading(level, "".join(self._heading or ()).strip(), start, end))
        self._heading = None

    def _end_link(self, link: _OpenLink) -> None:
        if link.form[0] == "W":
            made = self._wikilink(link)
        elif link.form == "Inline":
            opening = self._source.find(b"](", link.inner_end, link.end)
            made = self._markdown_link(link, (opening + 2, link.end - 1))
        elif link.form in _REFERENCES and (place := self._definitions.get(_folded(link.label))):
            made = self._markdown_link(link, definition(self._source, *place))
        else:
            made = None
        if made:
            self.links.append(made)

    def _wikilink(self, link: _OpenLink) -> Link | None:
        kind = "embed" if link.is_image else "wikilink"
        if link.form == "WikiLink":
            return wikilink(kind, link.destination, "", link.start, link.end)
        # In a table the bar before an alias is escaped.
        inner = link.destination.removesuffix("\\")
        return wikilink(kind, inner, "".join(link.texts).strip(), link.start, link.end)

    def _markdown_link(self, link: _OpenLink, within: Span) -> Link | None:
        alias = "".join(link.texts).strip()
        return markdown_link(self._source, link.destination, alias, link.start, link.end, within)

    @cached_property
    def _definitions(self) -> dict[str, Span]:
        if b"]:" not in self._source:
            return {}
        found = reference_definitions(self._body, options=self._options)
        return {_folded(label): self._place(at["span"]) for label, at in found.items()}


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _nests_embeds(body: str) -> bool:
    """Tell whether a paragraph opens more embeds inside each other than any person would."""
    if body.count("![[") <= EMBEDS_NESTED_MAX:
        return False
    depth = 0
    for found in _NESTING.finditer(body):
        depth = depth + 1 if found[0] == "[[" else max(depth - 1, 0) if found[0] == "]]" else 0
        if depth > EMBEDS_NESTED_MAX:
            return True
    return False
