"""What is amiss in notes, told once: broken links, doubled tags, frontmatter that cannot be read.

The index knows it all already. Remembered is only what was told of each note; a note that changes
is looked at anew. Nothing is told while links are still being settled, because all of them would
look broken.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator

from commonplace.core.markdown_properties import tags as tags_of
from commonplace.vault.contents import NoteChange
from commonplace.vault.index import About, Index

TOLD_MAX = 20_000


class Noticing:
    """Remembers what was told."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._told: OrderedDict[str, None] = OrderedDict()

    def heard(self, change: NoteChange) -> None:
        """Look at a note anew, because it changed."""
        self._told.pop(change.path, None)

    def tell(self, paths: Collection[str]) -> list[str]:
        """Tell what is amiss in notes of which it was not told yet."""
        fresh = [path for path in dict.fromkeys(paths) if path not in self._told]
        abouts = [about for path in fresh if (about := self._index.about(path)) is not None]
        broken: dict[int, dict[str, None]] = {}
        for note, kind, raw in self._index.links.broken([about.note for about in abouts]):
            broken.setdefault(note, {})[_written(kind, raw)] = None
        several = len(fresh) > 1
        found = [
            f"{about.path}: {warning}" if several else warning
            for about in abouts
            for warning in (
                *(f"Broken link: {link}" for link in broken.get(about.note, ())),
                *_amiss(about),
            )
        ]
        self._told |= dict.fromkeys(fresh)
        while len(self._told) > TOLD_MAX:
            self._told.popitem(last=False)
        return found


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
