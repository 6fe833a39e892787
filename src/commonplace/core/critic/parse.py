"""Which delimiters belong together.

Every text can be read; what is not markup is text. The rules, each for outside fenced code:

- A closing delimiter closes the *nearest* opening one before it, if that is of its own kind. An
  opening one that is left open, or that another one follows too early, is text, so a stray
  delimiter harms no markup behind it.
- `{--}` is both at once: it closes a deletion (whose text ends in `{`), else it opens one (whose
  text begins with `}`). The same holds for the other kinds.
- Comments and highlights may stand inside a side of a suggestion. What a comment holds is not read.
- A highlight may hold whole suggestions. Its two ends stand in the same side or both outside.
- `{~~…~~}` needs a `~>`; the first one divides it.

Reading takes linear time: a mark ends at the latest where the next one could begin.
"""

from collections.abc import Sequence
from functools import lru_cache

from commonplace.core.critic import metadata
from commonplace.core.critic.fences import Fences
from commonplace.core.critic.marks import (
    CLOSER,
    CLOSERS,
    DIVIDER,
    OPENER,
    OPENERS,
    WIDTH,
    Kind,
    Mark,
    Marked,
)

_SUGGESTED = frozenset((Kind.INSERTED, Kind.DELETED, Kind.REPLACED))
_CLOSER_OF = {kind: kind.closer for kind in Kind}
_EDGES = (Kind.HIGHLIGHT.opener, Kind.HIGHLIGHT.closer)
_OUTSIDE = -1
_INSERTION = Kind.INSERTED.opener
_PLAIN = {kind.opener: kind.closer for kind in (Kind.INSERTED, Kind.DELETED)}

_Nested = Mark | tuple[int, str]
"""Inside a suggestion: a comment, or where an end of a highlight stands and which."""
_NOTHING: tuple[_Nested, ...] = ()


# A call reads the same long text several times: to show it, to match in it, to check what it wrote;
# and what one call wrote is what the next one begins with. This is the one place that keeps texts,
# and no more than four, until a rest (`vault/rest_watch`): `tests/core/critic/test_speed.py` says
# what it is for.
@lru_cache(maxsize=4)
def parse(text: str) -> Marked:
    """Read a text. Never fails. What is returned is shared, and not to be changed."""
    return _MarkReader(text).read()


class _MarkReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0
        self.fences = Fences(text)
        self.suggested: list[Mark] = []
        self.comments: list[Mark] = []
        self.edges: list[tuple[int, str, int]] = []

    def read(self) -> Marked:
        while self.at < len(self.tokens):
            if not self.fences.ahead and self._read_plain_ones():
                continue
            start, sign = self.tokens[self.at]
            fenced = self.fences.before(start) if self.fences.ahead else 0
            if fenced > start:
                self._skip(fenced)
            else:
                self._read(start, sign)
        self.fences.before(len(self.text))
        return Marked(
            self.text, self.suggested, self.comments, self._highlights(), self.fences.blocks
        )

    def _read_plain_ones(self) -> bool:
        """Read suggestions that hold neither another delimiter nor metadata, while they come.

        They are read by the same rules as all; but a long note has thousands, and a call or two
        for each would be most of the time that reading takes.
        """
        text, tokens, suggested = self.text, self.tokens, self.suggested
        first = at = self.at
        while at + 1 < len(tokens):
            start, sign = tokens[at]
            tail, closer = tokens[at + 1]
            body = start + WIDTH
            if closer != _PLAIN.get(sign) or tail < body or text[body] == "{":
                break
            kind, middle = (Kind.INSERTED, body) if sign == _INSERTION else (Kind.DELETED, tail)
            suggested.append(Mark(kind, start, body, middle, tail, tail + WIDTH, None))
            at += 2
        self.at = at
        return at > first

    def _skip(self, end: int) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at][0] < end:
            self.at += 1

    def _read(self, start: int, sign: str) -> None:
        kind = OPENERS.get(sign)
        mark = None
        if kind is Kind.COMMENT:
            mark = self._comment(start)
        elif kind is Kind.HIGHLIGHT or sign == _EDGES[1]:
            self.edges.append((start, sign, _OUTSIDE))
        elif kind is not None:
            mark = self._suggestion(start, kind)
        if mark is not None and self.fences.ahead:
            self.fences.leave_out(start, mark.end)
        self.at += 1

    def _comment(self, start: int) -> Mark | None:
        close = self._comment_close(self.at)
        if close < 0:
            return None
        self.at = close
        mark = self._mark(Kind.COMMENT, start, self.tokens[close][0])
        self.comments.append(mark)
        return mark

    def _suggestion(self, start: int, kind: Kind) -> Mark | None:
        close = self._close(self.at, kind)
        if close < 0:
            return None
        nested = self._nested(self.at + 1, close) if close > self.at + 1 else _NOTHING
        mark = self._mark(kind, start, self.tokens[close][0], nested)
        if mark.middle < 0:
            return None
        if nested:
            self._hold(mark, nested)
        self.suggested.append(mark)
        self.at = close
        return mark

    def _close(self, opener: int, kind: Kind) -> int:
        """Return the token that closes a suggestion, or -1 if another one begins before."""
        begin, wanted = self.tokens[opener][0] + WIDTH, _CLOSER_OF[kind]
        at = opener + 1
        while at < len(self.tokens):
            start, sign = self.tokens[at]
            if sign == wanted and start >= begin:
                return at
            opened = OPENERS.get(sign)
            if opened in _SUGGESTED and self.tokens[at + 1 : at + 2] != [(start + 1, wanted)]:
                return -1
            if opened is Kind.COMMENT:
                at = max(at, self._comment_close(at))
            at += 1
        return -1

    def _comment_close(self, opener: int) -> int:
        for at in range(opener + 1, len(self.tokens)):
            kind = CLOSERS.get(self.tokens[at][1])
            if kind is Kind.COMMENT:
                return at
            if OPENERS.get(self.tokens[at][1]) is Kind.COMMENT:
                break
        return -1

    def _nested(self, at: int, close: int) -> list[_Nested]:
        """Return the comments, and the ends of highlights, inside a suggestion."""
        found: list[_Nested] = []
        while at < close:
            start, sign = self.tokens[at]
            end = self._comment_close(at) if OPENERS.get(sign) is Kind.COMMENT else -1
            if end > 0:
                found.append(self._mark(Kind.COMMENT, start, self.tokens[end][0]))
                at = end
            elif sign in _EDGES:
                found.append((start, sign))
            at += 1
        return found

    def _hold(self, mark: Mark, nested: Sequence[_Nested]) -> None:
        for inner in nested:
            if isinstance(inner, Mark):
                self.comments.append(inner)
            else:
                side = 2 * len(self.suggested) + (inner[0] >= mark.middle)
                self.edges.append((*inner, side))

    def _mark(
        self, kind: Kind, start: int, tail: int, nested: Sequence[_Nested] = _NOTHING
    ) -> Mark:
        meta, body = None, start + WIDTH
        if self.text[body] == "{":
            meta, body = metadata.read(self.text, body, tail)
        middle = body
        if kind is Kind.DELETED:
            middle = tail
        elif kind is Kind.REPLACED:
            middle = self._divider(body, tail, nested)
        return Mark(kind, start, body, middle, tail, tail + WIDTH, meta)

    def _divider(self, body: int, tail: int, nested: Sequence[_Nested]) -> int:
        for inner in nested:
            if isinstance(inner, Mark):
                found = self.text.find(DIVIDER, body, inner.start)
                if found >= 0:
                    return found
                body = inner.end
        return self.text.find(DIVIDER, body, tail)

    def _highlights(self) -> list[Mark]:
        opened: dict[int, int] = {}
        found: list[Mark] = []
        for at, (start, sign, side) in enumerate(self.edges):
            begin = opened.get(side)
            if sign == _EDGES[0]:
                closes = self.edges[at + 1 : at + 2] == [(start + 1, _EDGES[1], side)]
                if begin is None or not closes:
                    opened[side] = start
            elif begin is not None and start >= begin + WIDTH:
                found.append(self._mark(Kind.HIGHLIGHT, begin, start))
                del opened[side]
        return sorted(found)


def _tokens(text: str) -> list[tuple[int, str]]:
    """List all delimiters; an opening and a closing one may overlap."""
    if "{" not in text:
        return []
    found = [(match.start(), match[0]) for match in OPENER.finditer(text)]
    closing = [match.end() for match in CLOSER.finditer(text)]
    found += [(end - WIDTH, text[end - WIDTH : end]) for end in closing]
    return sorted(found)
