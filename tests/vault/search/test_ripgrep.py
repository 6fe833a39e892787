"""A pattern from outside meets ripgrep alone: by lines or by notes, bounded, and well refused."""

from pathlib import Path

import pytest

from commonplace.errors import BadPattern
from commonplace.vault.search.ripgrep import (
    PATTERN_CHARS_MAX,
    Pattern,
    files_with_matches,
    lines_in,
    lines_in_files,
    spans_in,
    spans_in_files,
)

HAY = "one cat\ntwo\nCat é cat\n\nlast cat".encode()


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (Pattern("cat"), [0, 12, 24]),
        (Pattern("Cat"), [12]),
        (Pattern("CAT", ignore_case=True), [0, 12, 24]),
        (Pattern("^two$"), [8]),
        (Pattern("é"), [12]),
        (Pattern("^$"), [23]),
        (Pattern("none"), []),
        (Pattern("-e"), []),
        (Pattern("--files"), []),
    ],
)
def test_a_line_is_told_by_where_it_starts(pattern: Pattern, lines: list[int]) -> None:
    assert list(lines_in(pattern, HAY)) == lines


def test_many_lines_are_read_as_few_are() -> None:
    hay = b"cat\n" * 60_000
    assert list(lines_in(Pattern("cat"), hay)) == list(range(0, len(hay), 4))


@pytest.mark.parametrize(
    ("regex", "spans"),
    [
        ("two.Cat", [(8, 15)]),
        ("cat", [(4, 7), (19, 22), (29, 32)]),
        ("é", [(16, 18)]),
        ("a.*t", [(5, 32)]),
        ("none", []),
    ],
)
def test_over_lines_a_match_is_told_by_its_bytes(regex: str, spans: list[tuple[int, int]]) -> None:
    assert spans_in(Pattern(regex, multiline=True), HAY) == spans


def test_a_match_never_runs_out_of_its_note() -> None:
    assert spans_in(Pattern("a.*b", multiline=True), b"a b\n\0\na\n\0\nb\n") == [(0, 3)]


def test_files_are_searched_by_name(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(HAY)
    (tmp_path / "y").write_bytes(b"dog\n")
    names = ["x", "y"]
    by_line = lines_in_files(Pattern("cat"), tmp_path, names)
    assert {name: list(found) for name, found in by_line.items()} == {"x": [0, 12, 24]}
    by_note = spans_in_files(Pattern("do.", multiline=True), tmp_path, names)
    assert by_note == {"x": [], "y": [(0, 3)]}
    assert lines_in_files(Pattern("cat"), tmp_path, []) == {}
    assert spans_in_files(Pattern("cat"), tmp_path, []) == {}


def test_markdown_files_are_found_whatever_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    (tmp_path / ".gitignore").write_text("*.md")
    (tmp_path / "f/é a.md").write_text("cat")
    (tmp_path / "b.MD").write_text("CAT\r\n")
    (tmp_path / "c.txt").write_text("cat")
    assert files_with_matches(Pattern("cat$"), tmp_path) == ["f/é a.md"]
    both = files_with_matches(Pattern("cat$", ignore_case=True), tmp_path)
    assert sorted(both) == ["b.MD", "f/é a.md"]


@pytest.mark.parametrize(
    ("regex", "why"),
    [("(", "unclosed group"), ("a\\nb", "Set multiline to true"), ("(?=a)", "look-around")],
)
def test_a_pattern_that_is_none_is_refused_with_the_reason(regex: str, why: str) -> None:
    with pytest.raises(BadPattern, match=why):
        lines_in(Pattern(regex), HAY)


def test_a_pattern_has_its_bound() -> None:
    Pattern("x" * PATTERN_CHARS_MAX)
    with pytest.raises(BadPattern, match="Search for a shorter"):
        Pattern("x" * (PATTERN_CHARS_MAX + 1))
