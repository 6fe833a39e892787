"""What is amiss in notes, told once: broken links, doubled tags, frontmatter that cannot be read.

The index knows it all already. Remembered is what was told of each note: what is new since is
told, also when another note changed, and all of it again when the note itself did. Nothing is told
while links are still being settled, because all of them would look broken.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator

from commonplace.core.markdown.properties import tags as tags_of
from commonplace.core.text.quotation import one_line
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.index.reader import About, Index

_TOLD_MAX = 20_000
WARNINGS_MAX = 20


class Warnings:
    """Remembers what was told."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._told: OrderedDict[str, frozenset[str]] = OrderedDict()

    def heard(self, change: NoteChange) -> None:
        """Look at a note anew, because it changed."""
        self._told.pop(change.path, None)

    def tell(self, paths: Collection[str]) -> list[str]:
        """Tell what is amiss in notes and was not told yet."""
        asked = list(dict.fromkeys(paths))
        abouts = [about for path in asked if (about := self._index.about(path)) is not None]
        broken: dict[int, dict[str, None]] = {}
        for note, kind, raw in self._index.links.broken([about.note for about in abouts]):
            broken.setdefault(note, {})[_written(kind, raw)] = None
        found: list[str] = []
        for about in abouts:
            amiss = [*_broken(list(broken.get(about.note, ()))), *_amiss(about)]
            told = self._told.pop(about.path, frozenset())
            fresh = [one_line(warning) for warning in amiss if warning not in told]
            found += [f"{about.path}: {each}" for each in fresh] if len(asked) > 1 else fresh
            self._told[about.path] = frozenset(amiss)
        while len(self._told) > _TOLD_MAX:
            self._told.popitem(last=False)
        return found


def _broken(links: list[str]) -> Iterator[str]:
    for link in links[:WARNINGS_MAX]:
        yield f"Broken link: {link}"
    if len(links) > WARNINGS_MAX:
        yield "More links are broken; get_links lists them."


def _amiss(about: About) -> Iterator[str]:
    seen: set[str] = set()
    for tag in tags_of(about.properties):
        if tag.casefold() in seen:
            yield f"Duplicate tag ignored: {tag}"
        seen.add(tag.casefold())
    if about.fault:
        yield about.fault
    if about.problem:
        yield f"Unreadable: {about.problem}"


def _written(kind: str, raw: str) -> str:
    if kind == "markdown":
        return f"[…]({raw})"
    return f"![[{raw}]]" if kind == "embed" else f"[[{raw}]]"
