"""Text from elsewhere, in one line of ours."""

from hypothesis import given, strategies as st

from commonplace.core.text import invisible
from commonplace.core.text.quotation import NAME_MAX, name, one_line

ANYTHING = st.text(max_size=80) | st.text("a\n\r\t\x1b\x85\u2028\u202e\u200b😀é", max_size=80)


def test_breaks_become_spaces_and_what_cannot_be_seen_is_named() -> None:
    assert one_line("a\nb\r\nc\td") == "a b c d"
    assert one_line("a\rb\x1b[2Jc\u2028d\u202ee") == "a<U+000D>b<U+001B>[2Jc<U+2028>d<U+202E>e"
    assert one_line("日本語 😀 é 👩‍💻") == "日本語 😀 é 👩‍💻"


def test_what_is_cut_says_so() -> None:
    assert name("x" * NAME_MAX) == "x" * NAME_MAX
    assert name("x" * 1_000_000) == "x" * NAME_MAX + "…"


@given(ANYTHING)
def test_it_is_one_line_that_holds_nothing_hidden(text: str) -> None:
    shown = one_line(text)
    assert len(shown.splitlines()) <= 1
    assert not list(invisible.positions(shown))
