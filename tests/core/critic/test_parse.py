"""Which delimiters belong together: every text is read, and what is no mark is text."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core.critic import Kind, parse, render

PIECES = ("a", "{++", "++}", "{--", "--}", "{~~", "~~}", "~>", "{>>", "<<}", "{==", "==}", "{}@@")
TEXTS = st.lists(st.sampled_from((*PIECES, "{", "}", "+", "-", "\n```\n")), max_size=14)


def marks(text: str) -> list[str]:
    found = parse(text)
    every = [*found.suggested, *found.comments, *found.highlights]
    return [text[mark.start : mark.end] for mark in sorted(every)]


@given(TEXTS.map("".join))
def test_every_text_is_read_and_put_together_again(text: str) -> None:
    found = parse(text)
    assert render(found) == text
    ends = [mark.start for mark in found.suggested[1:]]
    assert all(mark.end <= start for mark, start in zip(found.suggested, ends, strict=False))
    for mark in (*found.suggested, *found.comments, *found.highlights):
        assert mark.start < mark.body <= mark.middle <= mark.tail < mark.end
        assert text.startswith(mark.kind.opener, mark.start)
        assert text.endswith(mark.kind.closer, 0, mark.end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{++a {++b++}", ["{++b++}"]),
        ("{++a--} {++b++}", ["{++b++}"]),
        ("{++a {--b--} c++}", ["{--b--}"]),
        ("{--}--}", ["{--}--}"]),
        ("{--{--}", ["{--{--}"]),
        ("{--}", []),
        ("{++a {>>++}<<} b++}", ["{++a {>>++}<<} b++}", "{>>++}<<}"]),
        ("{>>a {++b++}<<}", ["{>>a {++b++}<<}"]),
        ("{>>a {>>b<<}", ["{>>b<<}"]),
        ("{~~a~~}", []),
        ("{~~a~>b~>c~~}", ["{~~a~>b~>c~~}"]),
        ("{~~a{>>~><<}b~>c~~}", ["{~~a{>>~><<}b~>c~~}", "{>>~><<}"]),
        ("{==a {++b++} c==}", ["{==a {++b++} c==}", "{++b++}"]),
        ("{++a {==b++} c==}", ["{++a {==b++}"]),
        ("{++a {==b==} c++}", ["{++a {==b==} c++}", "{==b==}"]),
        ("{==a{==b==}", ["{==b==}"]),
        ("```\n{++a++}\n```\n{++b++}", ["{++b++}"]),
        ("no markup", []),
    ],
)
def test_a_closing_delimiter_closes_the_nearest_of_its_kind(text: str, expected: list[str]) -> None:
    assert sorted(marks(text)) == sorted(expected)


def test_a_replacement_is_divided_at_the_first_divider_that_is_no_comments() -> None:
    text = "{~~a{>>~><<}b~>c~>d~~}"
    (mark,) = parse(text).suggested
    assert (text[slice(*mark.old)], text[slice(*mark.new)]) == ("a{>>~><<}b", "c~>d")


def test_metadata_is_no_part_of_what_a_mark_holds() -> None:
    text = '{++{"author":"Ann"}@@x++}{++{}@@{++}'
    one, other = parse(text).suggested
    assert text[slice(*one.new)] == "x"
    assert one.meta is not None
    assert one.meta.author == "Ann"
    assert text[slice(*other.new)] == "{"


def test_thousands_of_plain_ones_are_read_as_each_alone() -> None:
    text = "a {++b++}{--c--} " * 2000
    found = parse(text).suggested
    assert [mark.kind for mark in found] == [Kind.INSERTED, Kind.DELETED] * 2000
    one = parse("a {++b++}{--c--} ").suggested
    width = len("a {++b++}{--c--} ")
    assert found[-1] == one[1]._replace(
        start=one[1].start + 1999 * width,
        body=one[1].body + 1999 * width,
        middle=one[1].middle + 1999 * width,
        tail=one[1].tail + 1999 * width,
        end=one[1].end + 1999 * width,
    )
