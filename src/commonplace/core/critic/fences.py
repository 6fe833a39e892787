"""Fenced code, found while the text is read from left to right.

Markup inside a fence is text, and a fence inside markup is none: what is suggested does not count
before somebody accepts it. So fences are those of the text *without* its suggestions and comments:
a line that opens or closes a fence may carry some, which are left out before the line is judged.

    fences.before(position)         opens the fences that start before a position
    fences.leave_out(start, end)    passes over a suggestion or a comment

As in CommonMark a fence is closed by a run of the same character that is at least as long and
stands alone on its line, by the end of its block quote or list item, or by the end of the text.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from commonplace.core.critic.marks import CLOSER, OPENER

PREFIX_MAX = 200

# Two patterns with a literal start, which are found faster than one with a choice.
_RUNS = (re.compile(r"```+"), re.compile(r"~~~+"))
_CONTAINER = re.compile(r"[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*)*")
_QUOTE = r"[ \t]{0,3}>[ \t]?"
_ALONE = re.compile(r"[ \t]*(?:\r?\n|\r?\Z|==\}|\{(?:\+\+|--|~~|==|>>))")
_SLACK = 3


@dataclass(frozen=True, slots=True)
class _FenceOpening:
    at: int
    run: str
    quotes: int
    indent: int
    in_list: bool


class Fences:
    """The fences of one text; `blocks` holds (start, end) of each, in order."""

    def __init__(self, text: str) -> None:
        self.blocks: list[tuple[int, int]] = []
        self._text = text
        self._runs = sorted(match.span() for run in _RUNS for match in run.finditer(text))
        self._next = 0
        self._plain = 0
        self._prefix = ""
        self._containers: dict[tuple[int, int], int] = {}

    @property
    def ahead(self) -> bool:
        """Whether a fence may still come."""
        return self._next < len(self._runs)

    def before(self, limit: int) -> int:
        """Open every fence that starts before `limit`; return where the last one ends."""
        end = 0
        while self._next < len(self._runs) and self._runs[self._next][0] < limit:
            start, stop = self._runs[self._next]
            self._next += 1
            self._advance(start)
            opening = self._opening(start, stop)
            if opening is not None:
                end = self._close(opening)
        return end

    def leave_out(self, start: int, end: int) -> None:
        """Pass over markup, which belongs to no line."""
        self._advance(start)
        self._resume(end)

    def _advance(self, to: int) -> None:
        """Take in plain text, remembering how its last line begins."""
        line = self._text.rfind("\n", self._plain, to) + 1
        begun = "" if line else self._prefix
        start = max(line, self._plain)
        self._prefix = (begun + self._text[start : min(to, start + PREFIX_MAX)])[:PREFIX_MAX]
        self._plain = to

    def _resume(self, at: int) -> None:
        self._plain = at
        while self._next < len(self._runs) and self._runs[self._next][0] < at:
            self._next += 1

    def _opening(self, start: int, stop: int) -> _FenceOpening | None:
        prefix, run = self._prefix, self._text[start:stop]
        if len(prefix) >= PREFIX_MAX or not _CONTAINER.fullmatch(prefix):
            return None
        end = self._text.find("\n", stop)
        info = self._text[stop : end if end >= 0 else len(self._text)]
        if (run[0] == "`" and "`" in info) or _ends_markup(info):
            return None
        last = prefix[prefix.rfind(">") + 1 :]
        return _FenceOpening(start, run, prefix.count(">"), _width(last), bool(last.strip()))

    def _close(self, opening: _FenceOpening) -> int:
        limit = self._container_end(opening)
        self._prefix = ""
        end = limit
        while self._next < len(self._runs) and self._runs[self._next][0] < limit:
            start, stop = self._runs[self._next]
            self._next += 1
            if self._closes(opening, start, stop):
                self._prefix = opening.run
                end = stop
                break
        self.blocks.append((opening.at, end))
        self._resume(end)
        return end

    def _container_end(self, opening: _FenceOpening) -> int:
        line = self._text.find("\n", opening.at) + 1
        if not line or not (opening.quotes or opening.in_list):
            return len(self._text)
        container = opening.quotes, opening.indent if opening.in_list else 0
        if self._containers.get(container, 0) < line:
            lines = _lines_inside(*container).match(self._text, line)
            self._containers[container] = lines.end() if lines else line
        return self._containers[container]

    def _closes(self, opening: _FenceOpening, start: int, stop: int) -> bool:
        run, text = opening.run, self._text
        if stop - start < len(run) or text[start] != run[0]:
            return False
        line = text.rfind("\n", max(0, start - PREFIX_MAX), start) + 1
        prefix = _prefix_inside(opening.quotes).fullmatch(text, line, start) if line else None
        if prefix is None or _width(prefix[1]) > opening.indent + _SLACK:
            return False
        return _ALONE.match(text, stop) is not None


def _width(blank: str) -> int:
    return len(blank.expandtabs(4))


def _ends_markup(info: str) -> bool:
    """Tell a fence from the last line of a highlight that holds one: "```==}"."""
    closer, opener = CLOSER.search(info), OPENER.search(info)
    return closer is not None and (opener is None or closer.start() < opener.start())


@lru_cache(maxsize=64)
def _prefix_inside(quotes: int) -> re.Pattern[str]:
    return re.compile(rf"(?:{_QUOTE}){{{quotes}}}([ \t]*)")


@lru_cache(maxsize=64)
def _lines_inside(quotes: int, indent: int) -> re.Pattern[str]:
    """Match the lines that still belong to the block quote and list item of a fence."""
    inside = rf"(?:[ ]{{{indent}}}|[ ]{{0,3}}\t|[ \t]*\r?$|[ \t]*(?:```|~~~))" if indent else ""
    return re.compile(rf"(?:(?:{_QUOTE}){{{quotes}}}{inside}[^\n]*+(?:\n|\Z))*+", re.MULTILINE)
