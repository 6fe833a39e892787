"""What somebody types into the page's search box, taken apart.

    bees "winter feed" -wasps tag:garden -tag:draft path:Garden is:pending

Words rank notes; all else narrows them down. Reading never fails: what is no condition is a word.
"""

import re
from dataclasses import dataclass, field

CONDITIONS_MAX = 16
RESULTS_MAX = 100

_PART = re.compile(r'(-)?(?:(tag|path|is):)?(?:"([^"]*)"|(\S+))', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Words to rank by, and conditions that a note has to meet."""

    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    without_tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    without_paths: tuple[str, ...] = ()
    pending: bool | None = None

    @property
    def text(self) -> str:
        """The words and phrases that notes are ranked by."""
        return " ".join((*self.words, *self.phrases))

    @property
    def narrows(self) -> bool:
        """Whether there is any condition: without one, every note may be found."""
        lists = (self.phrases, self.without, self.tags, self.without_tags)
        return any((*lists, self.paths, self.without_paths)) or self.pending is not None


@dataclass(slots=True)
class _QueryParts:
    lists: dict[tuple[str, bool], list[str]] = field(
        default_factory=dict[tuple[str, bool], list[str]]
    )
    pending: bool | None = None

    def add(self, kind: str, value: str, *, wanted: bool = True) -> None:
        found = self.lists.setdefault((kind, wanted), [])
        if kind == "word" or len(found) < CONDITIONS_MAX:
            found.append(value)

    def get(self, kind: str, *, wanted: bool = True) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.lists.get((kind, wanted), ())))


def parse(typed: str) -> SearchQuery:
    """Take a query apart."""
    parts = _QueryParts()
    for match in _PART.finditer(typed):
        _take(parts, match)
    return SearchQuery(
        words=parts.get("word"),
        phrases=parts.get("phrase"),
        without=parts.get("phrase", wanted=False),
        tags=parts.get("tag"),
        without_tags=parts.get("tag", wanted=False),
        paths=parts.get("path"),
        without_paths=parts.get("path", wanted=False),
        pending=parts.pending,
    )


def _take(parts: _QueryParts, match: re.Match[str]) -> None:
    minus, key, quoted, bare = match.groups()
    wanted, kind = not minus, (key or "").lower()
    value = (quoted if quoted is not None else bare).strip()
    if kind == "is" and value.lower() == "pending":
        parts.pending = wanted
    elif kind in ("tag", "path") and value.strip("#/"):
        parts.add(kind, value.lstrip("#") if kind == "tag" else value, wanted=wanted)
    elif kind or (quoted is None and not wanted and not any(map(str.isalnum, value))):
        parts.add("word", match[0])
    elif not wanted:
        parts.add("phrase", value.strip('"'), wanted=False)
    elif quoted is None:
        parts.add("word", value)
    elif value:
        parts.add("phrase", value)
