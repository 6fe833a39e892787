"""The answers of `grep`, word for word."""

import json
import re

import pytest
from hypothesis import given, strategies as st

from commonplace.core.render import grep_lines
from commonplace.core.render.grep_lines import GrepLines, GrepPage, Line
from tests.core.case_files import cases

LINES = st.lists(st.builds(Line, st.integers(1, 12), st.text("ab-:", max_size=3), st.booleans()))
DOCUMENTS = st.lists(st.builds(GrepLines, st.sampled_from(["a.md", "b/c.md"]), LINES), max_size=3)


def documents(source: str) -> list[GrepLines]:
    found: list[GrepLines] = []
    for row in source.splitlines():
        if row.startswith("> "):
            found.append(GrepLines(row[2:], []))
        elif shown := re.fullmatch(r"(\d+)([:-])(.*)", row):
            line = Line(int(shown[1]), shown[3], shown[2] == ":")
            found[-1] = GrepLines(found[-1].path, [*found[-1].lines, line])
    return found


@pytest.mark.parametrize(("options", "source", "answer"), cases("render_grep.md"))
def test_what_grep_found_as_lines(options: str, source: str, answer: str) -> None:
    given_options = json.loads(options)
    page = GrepPage(
        given_options.pop("limit", grep_lines.HEAD_LIMIT), given_options.pop("offset", 0)
    )
    assert grep_lines.found_lines(documents(source), page, **given_options) == answer


def test_long_lines_are_left_out_of_what_grep_found() -> None:
    found = GrepLines("a.md", [Line(1, "x" * 500), Line(2, "x" * 501), Line(3, "y" * 501, False)])
    assert grep_lines.found_lines([found], GrepPage(), context=True).split("\n") == [
        "a.md:1:" + "x" * 500,
        "a.md:2:[Omitted long matching line]",
        "a.md-3-[Omitted long context line]",
    ]


def test_what_grep_found_as_paths_and_as_counts() -> None:
    assert grep_lines.found_files([], GrepPage()) == "No matches found."
    assert grep_lines.found_counts([], GrepPage()) == "No matches found."
    assert grep_lines.found_files(["b.md", "a.md"], GrepPage()) == "b.md\na.md"
    assert grep_lines.found_counts([("b.md", 2), ("a.md", 1)], GrepPage()) == "b.md:2\na.md:1"
    assert grep_lines.found_counts([("b.md", 2), ("a.md", 1)], GrepPage(limit=1)) == (
        "b.md:2\n\n[Showing results with pagination = limit: 1]"
    )
    assert grep_lines.found_files(["b.md", "a.md"], GrepPage(offset=1)) == (
        "a.md\n\n[Showing results with pagination = offset: 1]"
    )


def test_two_hundred_and_fifty_entries_unless_told() -> None:
    answer = grep_lines.found_files(map(str, range(251)), GrepPage())
    assert answer.endswith("\n249\n\n[Showing results with pagination = limit: 250]")


@given(st.lists(st.text("ab", min_size=1), max_size=9), st.integers(1, 4))
def test_pages_follow_each_other_without_gap(entries: list[str], limit: int) -> None:
    seen: list[str] = []
    for offset in range(0, len(entries), limit):
        body, _, _ = grep_lines.found_files(entries, GrepPage(limit, offset)).partition("\n\n")
        seen += body.split("\n")
    assert seen == entries


@given(DOCUMENTS, st.booleans())
def test_each_line_is_printed_once_and_in_order(found: list[GrepLines], context: bool) -> None:
    answer = grep_lines.found_lines(found, GrepPage(limit=0), context=context)
    rows = [row for row in answer.split("\n") if row not in ("--", "No matches found.")]
    expected = [
        f"{each.path}{':' if is_match else '-'}{number}"
        for each in found
        for number in sorted({line.number for line in each.lines})
        for is_match in [any(line.is_match for line in each.lines if line.number == number)]
    ]
    assert [row[: len(start)] for row, start in zip(rows, expected, strict=True)] == expected
    assert ("--" in answer.split("\n")) <= context
