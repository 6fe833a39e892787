"""How another program can have made its text from one that the file held: the nearest story.

A person decides suggestions in an editor by taking marks away, and changes other words besides. So
a save is compared with what the text becomes as its suggestions are accepted, rejected or kept,
each by itself. What is left over is what else was changed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from commonplace.core.critic import rank
from commonplace.core.critic.decide import DecidableSuggestion, choices
from commonplace.core.text import edits
from commonplace.core.text.edit_sequence import compose
from commonplace.core.text.edits import Edit
from commonplace.vault.documents.file.beside_marks import COMPARED_CHARS_MAX

_SUGGESTIONS_MAX = 40
_SWEEPS_MAX = 4

HandDecision = Literal["keep", "accept", "reject"]
_WAYS: tuple[HandDecision, ...] = ("keep", "accept", "reject")
_Far = tuple[int, int, int]


class HandEnd(NamedTuple):
    """How a suggestion ended by hand; `text` is what was made of it, where that is `modified`."""

    end: Literal["accept", "modified", "reject"]
    text: str = ""


@dataclass(frozen=True, slots=True)
class _ChangedPassage:
    """What differs between a text and the save: `held[start:end]`, its suggestions, `saved`."""

    held: str
    start: int
    end: int
    found: Sequence[DecidableSuggestion]
    saved: str

    def far(self, ways: Sequence[HandDecision]) -> _Far:
        """Tell how far it is from the save once suggestions are decided."""
        image = self.image(ways)
        lines, words = line_distance(image, self.saved), edits.word_distance(image, self.saved)
        return lines, words, edits.distance(image, self.saved)

    def image(self, ways: Sequence[HandDecision]) -> str:
        """Return it with its suggestions decided."""
        return _edited(self.held, self.start, self.end, self.decisions(ways))

    def decisions(self, ways: Sequence[HandDecision]) -> list[Edit]:
        """Return the edits that decide its suggestions."""
        pairs = zip(self.found, ways, strict=True)
        return [edit for each, way in pairs for edit in _edits_of(each, way)]

    def made(self, each: DecidableSuggestion, way: HandDecision) -> str:
        """Return what stands in the place of a suggestion once it is decided."""
        return _edited(self.held, each.start, each.end, _edits_of(each, way))


@dataclass(frozen=True, slots=True)
class Story:
    """What was decided in a text by hand, and how far what came of it is from the save.

    `far` is in lines, then in words, then in characters.
    """

    far: _Far
    passage: _ChangedPassage
    ways: Sequence[HandDecision]

    @property
    def rejected(self) -> frozenset[str]:
        """The suggestions that were rejected, by the rank of their ids."""
        pairs = zip(self.passage.found, self.ways, strict=True)
        return frozenset(rank(each.id) for each, way in pairs if way == "reject")

    def edits(self) -> list[Edit]:
        """Return the edits that make the save of the text; they touch no mark that was kept."""
        start, held = self.passage.start, self.passage.held
        moved = [Edit(e.start + start, e.end + start, e.text) for e in self._other_changes()]
        return compose(len(held), self.decisions(), moved)

    def decisions(self) -> list[Edit]:
        """Return those of the edits that decide suggestions."""
        return self.passage.decisions(self.ways)

    def _other_changes(self) -> list[Edit]:
        """Return what else was changed in the passage; it may stand beside others' marks."""
        image = self.passage.image(self.ways)
        return edits.diff(image, self.passage.saved, bridge=0, by_words=True)

    def ends(self) -> dict[str, HandEnd]:
        """Tell how suggestions ended, by rank; one that was written over has no end here."""
        return dict(self._ends())

    def _ends(self) -> Iterator[tuple[str, HandEnd]]:
        saved, changes = self.passage.saved, self._other_changes()
        moved = -self.passage.start
        for each, way in zip(self.passage.found, self.ways, strict=True):
            made = self.passage.made(each, way)
            start = each.start + moved
            moved += len(made) - (each.end - each.start)
            if way == "keep":
                continue
            first = edits.shift(start, changes, after=True)
            there = saved[first : max(first, edits.shift(start + len(made), changes))]
            if there == made:
                yield rank(each.id), HandEnd(way)
            elif way == "accept" and 2 * edits.distance(made, there) <= len(made) + len(there):
                yield rank(each.id), HandEnd("modified", there)


def nearest(held: str, saved: str) -> Story:
    """Tell the story that leaves the least to be explained otherwise."""
    head, tail = _common_lines(held, saved)
    found = choices(held) if max(len(held), len(saved)) <= COMPARED_CHARS_MAX else []
    inside = [each for each in found if each.end > head and each.start < len(held) - tail]
    if len(inside) > _SUGGESTIONS_MAX:
        inside = []
    if inside:  # it may go over several lines
        head, tail = min(head, inside[0].start), min(tail, len(held) - inside[-1].end)
    passage = _ChangedPassage(held, head, len(held) - tail, inside, saved[head : len(saved) - tail])
    return _search(passage)


def _search(passage: _ChangedPassage) -> Story:
    """Try the ways of each suggestion, one after the other, until none brings it nearer."""
    kept = (passage.held[each.start : each.end] in passage.saved for each in passage.found)
    chosen: list[HandDecision] = ["keep" if there else "reject" for there in kept]
    best = passage.far(chosen)
    for _ in range(_SWEEPS_MAX):
        before = best
        for at in range(len(chosen)):
            for way in _WAYS:
                tried = list[HandDecision]((*chosen[:at], way, *chosen[at + 1 :]))
                if way != chosen[at] and (far := passage.far(tried)) < best:
                    best, chosen = far, tried
        if best == before:
            break
    return Story(best, passage, chosen)


def _edits_of(each: DecidableSuggestion, way: HandDecision) -> list[Edit]:
    if way == "keep":
        return []
    return each.accept if way == "accept" else each.reject


def _edited(text: str, start: int, end: int, made: Iterable[Edit]) -> str:
    """Return a stretch of a text with edits made inside it."""
    inside = [Edit(edit.start - start, edit.end - start, edit.text) for edit in made]
    return edits.apply(text[start:end], inside)


def _common_lines(one: str, other: str) -> tuple[int, int]:
    """Return how many characters of whole lines two texts share at their start and end."""
    head = one.rfind("\n", 0, edits.common_prefix(one, other)) + 1
    tail = edits.common_suffix(one[head:], other[head:])
    return head, len(one) - (one.find("\n", len(one) - tail) + 1 or len(one))


def line_distance(before: str, after: str) -> int:
    """Tell how many lines are in one text alone."""
    lines = Counter(before.splitlines())
    lines.subtract(after.splitlines())
    return sum(map(abs, lines.values()))
