"""The pages of `read`, word for word."""

import json
import time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.render import document_page
from commonplace.core.text import invisible
from tests.core.case_files import cases

TEXTS = st.text(st.sampled_from("ab é😀\n\n\u200b\u2028\x0b\x85\u202e\r"), min_size=1, max_size=30)
NUMBERS = st.integers(-2, 12)


def lines_of(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


@pytest.mark.parametrize(("text", "arguments", "answer"), cases("render_read.md"))
def test_a_page_of_a_document(text: str, arguments: str, answer: str) -> None:
    assert document_page.numbered(text, **json.loads(arguments))[0] == answer


def test_a_page_holds_two_thousand_lines() -> None:
    page, _ = document_page.numbered("x\n" * 5_321)
    assert page.endswith("  2000\tx\n\n[Showing lines 1-2000 of 5321. Use offset=2001 to read on.]")
    assert "[Showing" not in document_page.numbered("x\n" * 2_000)[0]


def test_a_long_line_is_cut_between_characters() -> None:
    assert document_page.numbered("😀" * 2_000)[0] == "     1\t" + "😀" * 2_000
    assert document_page.numbered("😀" * 2_001)[0] == "     1\t" + "😀" * 2_000 + "... [truncated]"


def test_a_carriage_return_at_the_end_of_a_line_is_not_shown() -> None:
    assert document_page.numbered("a\r\nb\rc\r\n")[0] == "     1\ta\n     2\tb\rc"


@given(TEXTS, NUMBERS, NUMBERS)
def test_what_is_shown_is_what_is_there(text: str, offset: int, limit: int) -> None:
    lines = lines_of(text)
    page, _ = document_page.numbered(text, offset, limit)
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
        body, _, note = document_page.numbered(text, offset, limit)[0].partition(
            "\n\n[Showing lines "
        )
        rows += body.split("\n")
        if not note:
            break
        offset = int(note.split("offset=")[1].split(" ")[0])
    assert rows == document_page.numbered(text)[0].split("\n")


def test_a_note_says_which_invisible_characters_there_are() -> None:
    text = "1\n2\n3\na\u200bb\n5\n6\n\u202ex\n8\n\u200b\n"
    assert document_page.invisible_note(text) == (
        "[This document holds 3 invisible characters: U+200B x2 (lines 4, 9), U+202E x1 (line 7).]"
    )
    assert document_page.invisible_note("\u200b") == (
        "[This document holds 1 invisible character: U+200B x1 (line 1).]"
    )
    assert document_page.invisible_note("nothing 👩‍🚀\r\n") is None


def test_the_note_stays_short() -> None:
    text = "\n".join(chr(0x200B + at % 4) + chr(0xE0041 + at % 20) for at in range(400))
    note = document_page.invisible_note(text)
    assert note is not None
    assert note.startswith(
        "[This document holds 800 invisible characters: U+200B x100 (lines 1, 5,"
    )
    assert note.endswith(", ...), and 16 other kinds.]")
    assert len(note) < 600


def test_counting_stops_at_ten_thousand() -> None:
    note = document_page.invisible_note("\u200b" * 10_001)
    assert note == (
        "[This document holds at least 10000 invisible characters: U+200B x10000 (line 1).]"
    )


@pytest.mark.parametrize("unit", ["\n", "a\r\n", "\u200b", "\u200b\n", "a", "é\u200d", "\r"])
def test_a_megabyte_is_rendered_in_linear_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    assert document_page.numbered(text, 1, 10_000_000)[0]
    document_page.invisible_note(text)
    assert len(invisible.visible(text[:100_000])) >= min(len(text), 100_000)
    assert time.process_time() - started < 4
