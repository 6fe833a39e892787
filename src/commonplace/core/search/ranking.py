"""Two rankings, by words and by meaning, made one.

The two scores have nothing in common (BM25 has no top, cosines crowd together), so each counts as a
share of its own best, and the weighted sum ranks. A note that the words did not find has no share
of them; one that is missing from the nearest by meaning counts as the last of those, for it may
merely not be embedded yet. Stretching each list from its worst to its best instead ranks English
just as well, but loses 1 to 9 points of nDCG in other languages: it lets a list that knows nothing
of the matter (an English model asked in Russian) speak as loudly as one that does. Summing
reciprocal ranks does so too, and lost on all nine labelled sets.

The sum is finally scaled by the best cosine. The order stays, and the best of a bad lot looks bad.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TEXT_WEIGHT = 0.5

_SCALE_MIN = 0.01


@dataclass(frozen=True, slots=True)
class Ranked:
    """A note's place; `text` and `meaning` are the scores by which it was found, if at all."""

    note: int
    score: float
    text: float | None
    meaning: float | None


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A chunk of a note, and how near it is to the question: the cosine, from 0 to 1."""

    note: int
    chunk: int
    score: float


def best_passages(passages: Iterable[NearPassage]) -> dict[int, NearPassage]:
    """Choose the nearest passage of each note."""
    best: dict[int, NearPassage] = {}
    for passage in passages:
        if passage.note not in best or passage.score > best[passage.note].score:
            best[passage.note] = passage
    return best


def fuse(
    text: Mapping[int, float], meaning: Mapping[int, float], text_weight: float = TEXT_WEIGHT
) -> list[Ranked]:
    """Rank notes by BM25 (higher is better) and cosine, best first; scores are from 0 to 1."""
    by_text, by_meaning = _shares(text), _shares(meaning)
    weight = (text_weight if meaning else 1.0) if text else 0.0
    last = min(by_meaning.values(), default=0.0)
    scale = min(max(max(meaning.values(), default=1.0), _SCALE_MIN), 1.0)

    def score(note: int) -> float:
        words, sense = by_text.get(note, 0.0), by_meaning.get(note, last)
        return scale * (weight * words + (1 - weight) * sense)

    found = [
        Ranked(note, score(note), text.get(note), meaning.get(note)) for note in {**text, **meaning}
    ]
    return sorted(found, key=lambda ranked: (-ranked.score, ranked.note))


def _shares(scores: Mapping[int, float]) -> dict[int, float]:
    best = max(scores.values(), default=0.0)
    return {key: max(score, 0.0) / best if best > 0 else 0.0 for key, score in scores.items()}
