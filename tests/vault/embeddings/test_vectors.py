import threading
import tracemalloc
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from commonplace.core.search.ranking import NearPassage
from commonplace.errors import Unavailable
from commonplace.vault.embeddings import vectors as module
from commonplace.vault.embeddings.vectors import Floats, VectorRow, Vectors, packed

Change = tuple[int, int]
CHANGES = st.lists(st.tuples(st.integers(1, 9), st.integers(-1, 6)), max_size=40)
"""A note and how many chunks it gets; -1 removes it."""


def some(count: int, dimensions: int = 384, seed: int = 0) -> Floats:
    return _unit(np.random.default_rng(seed).normal(size=(count, dimensions)))


def _unit(vectors: NDArray[np.floating[Any]]) -> Floats:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def exact(rows: dict[int, tuple[int, Floats]], query: Floats) -> list[tuple[int, float]]:
    scored = ((chunk, float(vector @ query)) for chunk, (_, vector) in rows.items())
    return sorted(scored, key=lambda pair: -pair[1])


def chunks_of(passages: Iterable[NearPassage]) -> list[int]:
    return [passage.chunk for passage in passages]


def filled(vectors: Floats, chunks_a_note: int = 1) -> Vectors:
    store = Vectors(vectors.shape[1])
    rows = enumerate(packed(vectors))
    store.load((chunk, chunk // chunks_a_note, row) for chunk, row in rows)
    return store


@given(CHANGES, st.sampled_from([3, 64, 70]))
@settings(deadline=None)
def test_after_any_changes_search_finds_what_is_there(
    changes: list[Change], dimensions: int
) -> None:
    store, rows = Vectors(dimensions), dict[int, tuple[int, Floats]]()
    for step, (note, count) in enumerate(changes):
        rows = {chunk: row for chunk, row in rows.items() if row[0] != note}
        if count < 0:
            store.remove([note])
            continue
        drawn = some(count, dimensions, step)
        numbers = range(step * 10, step * 10 + count)
        store.put(note, numbers, packed(drawn))
        rows.update((number, (note, row)) for number, row in zip(numbers, drawn, strict=True))
    query = some(1, dimensions, 99)[0]
    found = store.search(query, 1_000)
    assert len(store) == len(found) == len(rows)
    assert {passage.chunk: passage.note for passage in found} == {
        chunk: note for chunk, (note, _) in rows.items()
    }
    scores = dict(exact(rows, query))
    for passage in found:
        assert passage.score == pytest.approx(max(scores[passage.chunk], 0), abs=0.02)


def test_results_are_best_first_and_as_many_as_asked() -> None:
    store = filled(some(500))
    found = store.search(some(1, seed=1)[0], 20)
    assert len(found) == 20
    scores = [passage.score for passage in found]
    assert scores == sorted(scores, reverse=True)
    assert store.search(some(1)[0], 1)[0].chunk == 0
    assert store.search(some(1)[0], 1)[0].score == pytest.approx(1, abs=0.01)


def test_scores_stay_between_nothing_and_one() -> None:
    vectors = np.eye(3, dtype=np.float32)
    store = filled(np.concatenate([vectors, -vectors]))
    scores = [passage.score for passage in store.search(vectors[0], 10)]
    assert scores == [pytest.approx(1), 0, 0, 0, 0, 0]


def test_an_empty_store_finds_nothing() -> None:
    assert Vectors(8).search(some(1, 8)[0], 10) == []
    Vectors(8).remove([1])


def test_a_filter_costs_no_results() -> None:
    vectors = some(3_000)
    store = filled(vectors, chunks_a_note=3)
    allowed = set(range(0, 1_000, 7))
    query = some(1, seed=5)[0]
    found = store.search(query, 10, allowed)
    assert {passage.note for passage in found} <= allowed
    nearest = sorted(
        (chunk for chunk in range(3_000) if chunk // 3 in allowed),
        key=lambda chunk: -float(vectors[chunk] @ query),
    )
    assert len(set(chunks_of(found)) & set(nearest[:10])) >= 9
    assert store.search(query, 10, []) == []


@pytest.fixture
def by_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_MAX", 100)
    monkeypatch.setattr(module, "CANDIDATES", 300)


@pytest.mark.usefixtures("by_sign")
@pytest.mark.parametrize("dimensions", [100, 384, 768])
def test_many_vectors_are_searched_by_sign_with_little_loss(dimensions: int) -> None:
    topics = some(50, dimensions, seed=3)
    vectors = _unit(np.tile(topics, (60, 1)) + 0.8 * some(3_000, dimensions))
    store, hits = filled(vectors), 0
    for query in _unit(topics + 0.8 * some(50, dimensions, seed=4)):
        nearest = np.argsort(-(vectors @ query))[:10].tolist()
        hits += len(set(chunks_of(store.search(query, 10))) & set(nearest))
    assert hits > 0.98 * 500


@pytest.mark.usefixtures("by_sign")
def test_a_filter_holds_when_searching_by_sign() -> None:
    store = filled(some(3_000))
    allowed = range(0, 3_000, 2)
    found = store.search(some(1)[0], 50, allowed)
    assert len(found) == 50
    assert found[0].chunk == 0
    assert all(passage.note % 2 == 0 for passage in found)


@pytest.mark.usefixtures("by_sign")
def test_more_results_than_candidates_can_be_asked_for() -> None:
    assert len(filled(some(2_000)).search(some(1)[0], 900)) == 900


def test_what_was_stored_is_loaded_as_it_was() -> None:
    rows = packed(some(50))
    one, two = Vectors(384), Vectors(384)
    for number, row in enumerate(rows):
        one.put(number, [number], [row])
    two.load((number, number, row) for number, row in enumerate(rows))
    query = some(1, seed=8)[0]
    assert one.search(query, 50) == two.search(query, 50)


def test_packing_keeps_the_direction() -> None:
    vectors = some(100)
    store = filled(vectors)
    for number in range(100):
        assert store.search(vectors[number], 1)[0].score > 0.999


def test_a_vector_of_nothing_can_be_packed() -> None:
    store = filled(np.zeros((1, 8), np.float32))
    assert store.search(some(1, 8)[0], 1)[0].score == 0


def test_vectors_of_another_model_are_refused() -> None:
    store = Vectors(384)
    with pytest.raises(Unavailable, match=r"768 dimensions.*--rebuild"):
        store.load([(1, 1, packed(some(1, 768))[0])])
    assert len(store) == 0


def test_memory_grows_with_the_vectors() -> None:
    vectors = some(5_000)
    tracemalloc.start()
    try:
        store = filled(vectors)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(store) == 5_000
    assert 5_000 * (384 + 48 + 20) <= used < 5_000 * (384 + 48 + 20) * 1.6


class _Pausing(Vectors):
    """Pauses between taking a note's old vectors out and putting the new ones in."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.halfway, self.searched = threading.Event(), threading.Event()

    def _append(self, rows: Sequence[VectorRow]) -> None:
        self.halfway.set()
        self.searched.wait(0.2)
        super()._append(rows)


def test_search_sees_a_note_whole_while_it_changes() -> None:
    store, rows = _Pausing(64), packed(some(4, 64))
    writer = threading.Thread(target=store.put, args=(1, range(4), rows))
    writer.start()
    store.halfway.wait()
    found = store.search(some(1, 64)[0], 10)
    store.searched.set()
    writer.join()
    assert len(found) == 4
