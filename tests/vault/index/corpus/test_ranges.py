"""Which stretch of joined text is which note's, dead ones left out."""

import pytest
from hypothesis import given, strategies as st

from commonplace.vault.index.corpus.ranges import Haystack, MatchingLines, Ranges

TEXTS = st.lists(st.text(alphabet="ab\n", max_size=12).map(str.encode), max_size=6)


def starts_of_lines(data: bytes, part: bytes) -> list[int]:
    lines = data.split(b"\n")
    places = [0]
    for line in lines:
        places.append(places[-1] + len(line) + 1)
    return [at for at, line in zip(places, lines, strict=False) if part in line]


@given(TEXTS)
def test_the_lines_that_match_are_those_of_each_note(texts: list[bytes]) -> None:
    joined = Haystack(enumerate(texts))
    found = dict(joined.ranges.locate_lines(starts_of_lines(joined.bytes, b"a")))
    wanted = {number: starts_of_lines(text, b"a") for number, text in enumerate(texts)}
    assert {note: [start for start, _ in lines] for note, lines in found.items()} == {
        note: lines for note, lines in wanted.items() if lines
    }


@given(TEXTS, st.sets(st.integers(0, 5)))
def test_a_span_is_its_notes_and_that_of_a_dead_one_nobodys(
    texts: list[bytes], dead: set[int]
) -> None:
    joined = Haystack(enumerate(texts))
    starts: dict[int, int] = {}
    at = 0
    for number, text in enumerate(texts):
        starts[number] = at
        at += len(text) + (0 if not text or text.endswith(b"\n") else 1) + 2
    spans = [
        (starts[number] + place, starts[number] + place + 1)
        for number, text in enumerate(texts)
        for place in range(len(text))
    ]
    for number in dead:
        if number in starts:
            joined.ranges.kill(number, starts[number])
    assert list(joined.ranges.locate(spans)) == [
        (number, (place, place + 1))
        for number, text in enumerate(texts)
        for place in range(len(text))
        if number not in dead
    ]


def test_only_the_note_that_stands_there_is_killed() -> None:
    ranges = Ranges()
    assert ranges.end == 0
    ranges.kill(1, 0)
    ranges.add(1, 0, 5)
    ranges.add(2, 7, 9)
    ranges.kill(2, 0)
    assert [note for note, _ in ranges.locate([(0, 1), (5, 6), (7, 8), (20, 21)])] == [1, 2]
    ranges.kill(1, 0)
    assert [note for note, _ in ranges.locate([(0, 1), (7, 8)])] == [2]
    assert (len(ranges), ranges.end) == (2, 9)


def test_matching_lines_are_a_sequence() -> None:
    lines = MatchingLines([3, 10, 14, 20], 1, 3, 10)
    assert list(lines) == [(0, 0), (4, 4)]
    assert lines[0:2] == [(0, 0), (4, 4)]
    assert len(lines) == 2
    with pytest.raises(IndexError):
        lines[2]
