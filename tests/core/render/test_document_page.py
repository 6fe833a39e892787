"""The answers of `read`, `glob`, `grep` and `get_links`, word for word."""

import json
import re
import time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.render import document_page as render
from commonplace.core.render.document_page import GrepLines, GrepPage, Line, PendingLine
from commonplace.core.text import invisible
from tests.core.case_files import cases

TEXTS = st.text(st.sampled_from("ab é😀\n\n\u200b\u2028\x0b\x85\u202e\r"), min_size=1, max_size=30)
NUMBERS = st.integers(-2, 12)
LINES = st.lists(st.builds(Line, st.integers(1, 12), st.text("ab-:", max_size=3), st.booleans()))
DOCUMENTS = st.lists(st.builds(GrepLines, st.sampled_from(["a.md", "b/c.md"]), LINES), max_size=3)


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def documents(source: str) -> list[GrepLines]:
    found: list[GrepLines] = []
    for row in source.splitlines():
        if row.startswith("> "):
            found.append(GrepLines(row[2:], []))
        elif shown := re.fullmatch(r"(\d+)([:-])(.*)", row):
            line = Line(int(shown[1]), shown[3], shown[2] == ":")
            found[-1] = GrepLines(found[-1].path, [*found[-1].lines, line])
    return found


@pytest.mark.parametrize(("text", "arguments", "answer"), cases("render_read.md"))
def test_a_page_of_a_document(text: str, arguments: str, answer: str) -> None:
    assert render.numbered(text, **json.loads(arguments))[0] == answer


def test_a_page_holds_two_thousand_lines() -> None:
    page, _ = render.numbered("x\n" * 5_321)
    assert page.endswith("  2000\tx\n\n[Showing lines 1-2000 of 5321. Use offset=2001 to read on.]")
    assert "[Showing" not in render.numbered("x\n" * 2_000)[0]


def test_a_long_line_is_cut_between_characters() -> None:
    assert render.numbered("😀" * 2_000)[0] == "     1\t" + "😀" * 2_000
    assert render.numbered("😀" * 2_001)[0] == "     1\t" + "😀" * 2_000 + "... [truncated]"


def test_a_carriage_return_at_the_end_of_a_line_is_not_shown() -> None:
    assert render.numbered("a\r\nb\rc\r\n")[0] == "     1\ta\n     2\tb\rc"


@given(TEXTS, NUMBERS, NUMBERS)
def test_what_is_shown_is_what_is_there(text: str, offset: int, limit: int) -> None:
    lines = lines_of(text)
    page, _ = render.numbered(text, offset, limit)
    first, size = max(offset, 1), max(limit, 1)
    if first > len(lines):
        assert page.startswith("Warning: ")
        return
    rows = page.split("\n")[: min(size, len(lines) - first + 1)]
    shown = [row.split("\t", 1) for row in rows]
    assert [int(number) for number, _ in shown] == list(range(first, first + len(rows)))
    assert [line for _, line in shown] == [
        line.removesuffix("\r") for line in lines[first - 1 : first - 1 + size]
    ]


@given(TEXTS, st.integers(1, 4))
def test_reading_on_as_told_reads_everything_once(text: str, limit: int) -> None:
    rows: list[str] = []
    offset = 1
    while True:
        body, _, note = render.numbered(text, offset, limit)[0].partition("\n\n[Showing lines ")
        rows += body.split("\n")
        if not note:
            break
        offset = int(note.split("offset=")[1].split(" ")[0])
    assert rows == render.numbered(text)[0].split("\n")


@pytest.mark.parametrize(("source", "answer"), cases("render_pending.md"))
def test_pending_suggestions(source: str, answer: str) -> None:
    suggestions = [PendingLine(**json.loads(row)) for row in source.splitlines()]
    assert render.pending_list(suggestions) == answer


def test_no_pending_suggestions_say_nothing() -> None:
    assert render.pending_list([]) is None


def test_paths_are_listed_up_to_a_hundred() -> None:
    assert render.path_list([]) == "No files found"
    assert render.path_list(["b.md", "a.md"]) == "b.md\na.md"
    names = [f"{at}.md" for at in range(130)]
    note = (
        "(Showing 100 of 130 matching files; 30 more are not listed. "
        "Narrow the pattern or path to see the rest.)"
    )
    expected = "\n".join([*names[:100], note])
    assert render.path_list(names) == render.path_list(names[:100], 130) == expected
    assert "Showing" not in render.path_list(names[:100], 100)


@pytest.mark.parametrize(("into", "out", "nowhere", "answer"), cases("render_links.md"))
def test_the_links_of_a_document(into: str, out: str, nowhere: str, answer: str) -> None:
    lists = (into.splitlines(), out.splitlines(), nowhere.splitlines())
    assert render.link_lists(*lists) == answer


@pytest.mark.parametrize(("options", "source", "answer"), cases("render_grep.md"))
def test_what_grep_found_as_lines(options: str, source: str, answer: str) -> None:
    given_options = json.loads(options)
    page = GrepPage(given_options.pop("limit", render.HEAD_LIMIT), given_options.pop("offset", 0))
    assert render.found_lines(documents(source), page, **given_options) == answer


def test_long_lines_are_left_out_of_what_grep_found() -> None:
    found = GrepLines("a.md", [Line(1, "x" * 500), Line(2, "x" * 501), Line(3, "y" * 501, False)])
    assert render.found_lines([found], GrepPage(), context=True).split("\n") == [
        "a.md:1:" + "x" * 500,
        "a.md:2:[Omitted long matching line]",
        "a.md-3-[Omitted long context line]",
    ]


def test_what_grep_found_as_paths_and_as_counts() -> None:
    assert render.found_files([], GrepPage()) == "No matches found."
    assert render.found_counts([], GrepPage()) == "No matches found."
    assert render.found_files(["b.md", "a.md"], GrepPage()) == "b.md\na.md"
    assert render.found_counts([("b.md", 2), ("a.md", 1)], GrepPage()) == "b.md:2\na.md:1"
    assert render.found_counts([("b.md", 2), ("a.md", 1)], GrepPage(limit=1)) == (
        "b.md:2\n\n[Showing results with pagination = limit: 1]"
    )
    assert render.found_files(["b.md", "a.md"], GrepPage(offset=1)) == (
        "a.md\n\n[Showing results with pagination = offset: 1]"
    )


def test_two_hundred_and_fifty_entries_unless_told() -> None:
    answer = render.found_files(map(str, range(251)), GrepPage())
    assert answer.endswith("\n249\n\n[Showing results with pagination = limit: 250]")


@given(st.lists(st.text("ab", min_size=1), max_size=9), st.integers(1, 4))
def test_pages_follow_each_other_without_gap(entries: list[str], limit: int) -> None:
    seen: list[str] = []
    for offset in range(0, len(entries), limit):
        body, _, _ = render.found_files(entries, GrepPage(limit, offset)).partition("\n\n")
        seen += body.split("\n")
    assert seen == entries


@given(DOCUMENTS, st.booleans())
def test_each_line_is_printed_once_and_in_order(found: list[GrepLines], context: bool) -> None:
    answer = render.found_lines(found, GrepPage(limit=0), context=context)
    rows = [row for row in answer.split("\n") if row not in ("--", "No matches found.")]
    expected = [
        f"{each.path}{':' if is_match else '-'}{number}"
        for each in found
        for number in sorted({line.number for line in each.lines})
        for is_match in [any(line.is_match for line in each.lines if line.number == number)]
    ]
    assert [row[: len(start)] for row, start in zip(rows, expected, strict=True)] == expected
    assert ("--" in answer.split("\n")) <= context


def test_what_does_not_exist() -> None:
    missing = "Document not found: Lens/Photosyntesis.md"
    assert str(render.not_found("Lens/Photosyntesis.md")) == missing
    assert str(render.not_found("Lens/Photosyntesis.md", ["Lens/Photosynthesis.md"])) == (
        f"{missing}. Did you mean Lens/Photosynthesis.md?"
    )
    assert str(render.not_found("Lens/Photosyntesis.md", ["a.md", "b.md", "c.md"])) == (
        f"{missing}. Did you mean a.md, b.md or c.md?"
    )


def test_invisible_characters_are_written_out() -> None:
    text = "pay\u202egpj.exe \u200b❤️ 👩‍🚀 می‌خواهم\U000e0041"
    assert invisible.visible(text) == "pay<U+202E>gpj.exe <U+200B>❤️ 👩‍🚀 می‌خواهم<U+E0041>"


@given(TEXTS | st.text())
def test_nothing_stays_invisible(text: str) -> None:
    shown = invisible.visible(text)
    assert list(invisible.positions(shown)) == []
    hidden = [f"<{invisible.label(character)}>" for _, character in invisible.positions(text)]
    assert len(shown) == len(text) - len(hidden) + sum(map(len, hidden))


def test_a_note_says_which_invisible_characters_there_are() -> None:
    text = "1\n2\n3\na\u200bb\n5\n6\n\u202ex\n8\n\u200b\n"
    assert render.invisible_note(text) == (
        "[This document holds 3 invisible characters: U+200B x2 (lines 4, 9), U+202E x1 (line 7).]"
    )
    assert render.invisible_note("\u200b") == (
        "[This document holds 1 invisible character: U+200B x1 (line 1).]"
    )
    assert render.invisible_note("nothing 👩‍🚀\r\n") is None


def test_the_note_stays_short() -> None:
    text = "\n".join(chr(0x200B + at % 4) + chr(0xE0041 + at % 20) for at in range(400))
    note = render.invisible_note(text)
    assert note is not None
    assert note.startswith(
        "[This document holds 800 invisible characters: U+200B x100 (lines 1, 5,"
    )
    assert note.endswith(", ...), and 16 other kinds.]")
    assert len(note) < 600


def test_counting_stops_at_ten_thousand() -> None:
    note = render.invisible_note("\u200b" * 10_001)
    assert note == (
        "[This document holds at least 10000 invisible characters: U+200B x10000 (line 1).]"
    )


@pytest.mark.parametrize("unit", ["\n", "a\r\n", "\u200b", "\u200b\n", "a", "é\u200d", "\r"])
def test_a_megabyte_is_rendered_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    assert render.numbered(text, 1, 10_000_000)[0]
    render.invisible_note(text)
    assert len(invisible.visible(text[:100_000])) >= min(len(text), 100_000)
    assert time.process_time() - started < 4
