"""Writing a region anew, as edits that leave the characters of its base text where they are."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from commonplace.core.critic.marks import Kind, cuts, pieces, wrapped
from commonplace.core.critic.match import narrow
from commonplace.core.critic.metadata import EMPTY, Signature
from commonplace.core.critic.page import MarkedText
from commonplace.core.critic.refusals import Unwritable
from commonplace.core.critic.regions import Region
from commonplace.core.critic.views import Role, Run
from commonplace.core.text.comparison import common_prefix, common_suffix
from commonplace.core.text.edits import Edit

CUTS_MAX = 10_000

_Kept = tuple[int, int]
_Part = str | _Kept
"""New text, or characters of the marked text that stay."""


@dataclass(frozen=True, slots=True)
class MarkForm:
    """How a change is written: see `propose`."""

    in_place: bool = False
    apart: bool = False
    guard: bool = False
    by_lines: bool = False


def rewritten(page: MarkedText, region: Region, form: MarkForm, by: Signature) -> list[Edit]:
    """Return the edits that write a region with its changes made."""
    if form.in_place and _continues(page, region, by.author):
        return [Edit(*place, edit.text) for edit, place in region.changes]
    meta = by.over(mark.meta for group in region.touched for mark in group.marks if mark.meta)
    parts = _parts(page, region, meta or EMPTY if form.guard else meta)
    return list(_as_edits(page.text, region.start, region.end, parts))


def _continues(page: MarkedText, region: Region, author: str | None) -> bool:
    """Tell whether pending text can be changed inside its own mark, where comments in it stay."""
    restored = region.base == region.accepted or not region.accepted
    if len(region.touched) != 1 or region.whole or restored:
        return False
    return all(page.is_pending(*place, author) for _, place in region.changes)


@dataclass(slots=True)
class _Sorted:
    """What a region keeps: before the new markup, in its deletion, behind it."""

    head: list[_Part] = field(default_factory=list[_Part])
    gone: list[_Kept] = field(default_factory=list[_Kept])
    tail: list[_Part] = field(default_factory=list[_Part])
    comments: list[str] = field(default_factory=list[str])
    edges: list[Run] = field(default_factory=list[Run])


def _parts(page: MarkedText, region: Region, meta: str) -> list[_Part]:
    first, last, insert = narrow(region.base, region.accepted)
    if region.whole and region.base != region.accepted:
        first, last, insert = 0, len(region.base), region.accepted
    if any(len(cuts(Kind.DELETED, text)) > CUTS_MAX for text in (region.base, region.accepted)):
        raise Unwritable
    kept = _sorted(page, region, first, last)
    before, behind = _stretched(page, kept.edges)
    return [
        *kept.head,
        before,
        *_deletion(region.base[first:last], kept.gone, meta),
        wrapped(Kind.INSERTED, meta, insert),
        *kept.comments,
        behind,
        *kept.tail,
    ]


def _sorted(page: MarkedText, region: Region, first: int, last: int) -> _Sorted:
    """Sort out a region's runs by their place in its base text."""
    kept = _Sorted()
    offset, begun = 0, False
    for run in page.runs_between(region.start, region.end):
        if run.role is Role.PLAIN or run.role is Role.OLD:
            for a, b in pieces(run.start, run.end, [run.start + p - offset for p in (first, last)]):
                at = offset + a - run.start
                home = kept.head if at < first else kept.gone if at < last else kept.tail
                home.append((a, b))
            offset += run.end - run.start
        elif run.role is Role.NEW:
            begun = True
        elif run.role is Role.COMMENT or (run.role is Role.EDGE and run.side is not Role.NEW):
            if offset < first or (offset == first and not begun):
                kept.head.append((run.start, run.end))
            elif offset >= last:
                kept.tail.append((run.start, run.end))
            elif run.role is Role.EDGE:
                kept.edges.append(run)
            else:
                kept.comments.append(page.text[run.start : run.end])
    return kept


def _stretched(page: MarkedText, edges: list[Run]) -> tuple[str, str]:
    """Return what to write before and behind new markup for the ends of highlights inside it.

    A highlight that began or ended inside keeps the part that is outside; one that was all inside
    is stretched around (the first of them: one cannot hold another).
    """
    if not edges:
        return "", ""
    opens = {mark.start: mark.tail for mark in page.marked.highlights}
    raw = {run.start: page.text[run.start : run.end] for run in edges}
    pairs = [(start, opens[start]) for start in raw if opens.get(start) in raw]
    paired = {place for pair in pairs for place in pair}
    ended = "".join(raw[at] for at in raw if at not in opens and at not in paired)
    begun = "".join(raw[at] for at in raw if at in opens and at not in paired)
    around = (raw[pairs[0][0]], raw[pairs[0][1]]) if pairs else ("", "")
    return ended + around[0], around[1] + begun


def _deletion(content: str, gone: list[_Kept], meta: str) -> Iterator[_Part]:
    """Put delimiters around, and at each cut between, characters that stay where they are."""
    if not content:
        return
    opener, closer = Kind.DELETED.opener + meta, Kind.DELETED.closer
    places = [*cuts(Kind.DELETED, content), len(content)]
    offset = at = 0
    yield opener
    for a, b in gone:
        while a < b:
            stop = min(b, a + places[at] - offset)
            yield a, stop
            offset, a = offset + stop - a, stop
            if offset == places[at]:
                yield closer if offset == len(content) else closer + opener
                at += 1


def _as_edits(text: str, start: int, end: int, parts: list[_Part]) -> Iterator[Edit]:
    """Change only what differs between the characters that stay."""
    fresh: list[str] = []
    for part in [*parts, (end, end)]:
        if isinstance(part, str):
            fresh.append(part)
            continue
        old, new = text[start : part[0]], "".join(fresh)
        head = common_prefix(old, new)
        tail = common_suffix(old[head:], new[head:])
        if old != new:
            yield Edit(start + head, part[0] - tail, new[head : len(new) - tail])
        fresh, start = [], part[1]
