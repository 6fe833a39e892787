import re
import time

import pytest
from hypothesis import given, strategies as st

from commonplace.core.search import chunks as module
from commonplace.core.search.chunks import UNITS_MAX, Chunk, chunks
from tests.core.case_files import cases

LINES = st.sampled_from(
    [
        "",
        "# One",
        "## Two",
        "### Three ###",
        "#",
        "```",
        "~~~~ py",
        "---",
        "text",
        "A sentence. Another one! 第三句。第四句",
        "word " * 150,
        "字" * 300,
        "x" * 3_000,
        "\ufeff\u200b é 😀",
    ]
)
NOTES = st.lists(LINES, max_size=25).map("\n".join) | st.text(max_size=400)
HEADING = re.compile(r" {0,3}#{1,6}([ \t]|$)")

HOSTILE = {
    "headings": "# A\n" * 250_000,
    "words": "a " * 500_000,
    "one word": "a" * 1_000_000,
    "ideographs": "字" * 1_000_000,
    "blank lines": "\n \t" * 300_000,
    "fences": "```\n" * 250_000,
    "hashes": "#" * 1_000_000,
    "hashes behind a heading": "# " + "#" * 1_000_000,
    "quotes": '."' * 500_000,
    "half a fence": "~~~`" * 250_000,
    "frontmatter fences": "---\n" * 250_000,
}


def units(text: str) -> int:
    return len(module._UNIT.findall(text))


@pytest.mark.parametrize(("note", "embedded"), cases("chunks.md"))
def test_notes_are_cut_as_the_cases_say(
    note: str, embedded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("UNITS_MIN", 3), ("UNITS_AIM", 8), ("UNITS_MAX", 12)):
        monkeypatch.setattr(module, name, value)
    assert "\n-----\n".join(chunk.text for chunk in chunks(note, "T")) == embedded


@given(NOTES)
def test_passages_are_in_order_apart_and_trimmed(text: str) -> None:
    found = chunks(text, "Title")
    assert found
    places = [place for chunk in found for place in (chunk.start, chunk.end)]
    assert places == sorted(places)
    assert places[-1] <= len(text)
    for chunk in found:
        passage = text[chunk.start : chunk.end]
        assert passage == passage.strip()
        assert chunk.text.endswith("\n" + passage)


@given(NOTES)
def test_nothing_is_left_out_but_frontmatter_headings_and_space(text: str) -> None:
    left = list(text)
    for chunk in chunks(text, "Title"):
        left[chunk.start : chunk.end] = [
            "\n" if char == "\n" else " " for char in text[chunk.start : chunk.end]
        ]
    rest = "".join(left)
    block = module.frontmatter.split(text)
    lines = rest[block.body_start if block else 0 :].split("\n")
    assert [line for line in lines if line.strip() and not HEADING.match(line)] == []


@given(NOTES)
def test_no_passage_is_too_long(text: str) -> None:
    assert all(units(text[chunk.start : chunk.end]) <= UNITS_MAX for chunk in chunks(text, "T"))


@given(NOTES, st.text(max_size=200))
def test_a_passage_starts_with_the_way_that_leads_to_it(text: str, title: str) -> None:
    for chunk in chunks(text, title):
        assert chunk.text.startswith(title[: module.HEADING_MAX])
        assert all(heading in chunk.text for heading in chunk.headings)


def test_a_short_section_does_not_swallow_a_long_one() -> None:
    text = "# A\nfew words\n# B\n" + "word " * 150
    assert [chunk.headings for chunk in chunks(text, "T")] == [("A",), ("B",)]


def test_a_long_section_is_cut_evenly() -> None:
    sizes = [units(chunk.text) for chunk in chunks("word " * 1_000, "T")]
    assert max(sizes) - min(sizes) <= 2


def test_ranges_count_code_points() -> None:
    (chunk,) = chunks(" 😀😀\n\n# Head\n漢字 text\n", "T")
    assert (chunk.start, chunk.end) == (1, 19)


def test_the_hash_is_of_what_is_embedded_and_nothing_else() -> None:
    one, two = Chunk(0, 4, "T\nsame", ("A",)), Chunk(7, 11, "T\nsame", ())
    assert one.sha256 == two.sha256
    assert one.sha256 != Chunk(0, 4, "T\nother", ("A",)).sha256
    assert len(Chunk(0, 1, "\ud800", ()).sha256) == 32


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_megabyte_takes_linear_time(text: str) -> None:
    started = time.process_time()
    found = chunks(text, "T")
    assert time.process_time() - started < 5
    assert max(len(chunk.text) for chunk in found) < 5_000
