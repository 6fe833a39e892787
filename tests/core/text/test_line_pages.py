"""Which lines of a text an answer has room for."""

from commonplace.core.text.line_pages import PAGE_CHARS_MAX, LinePage, fit, lines_of


def test_the_last_newline_opens_no_line() -> None:
    assert lines_of("") == []
    assert lines_of("a") == lines_of("a\n") == ["a"]
    assert lines_of("a\n\n") == ["a", ""]


def test_what_has_room_is_shown_whole() -> None:
    page = fit(["a", "b", "c"], 1, 10, 100)
    assert page == LinePage(1, 3, 3)
    assert page.is_last
    assert fit(["a", "b", "c"], 2, 1, 100) == LinePage(2, 2, 3)
    assert fit(["a"], 5, 10, 100) == LinePage(5, 4, 1)


def test_a_long_line_is_cut_and_said_to_be() -> None:
    assert fit(["a" * 101, "b"], 1, 10, 100) == LinePage(1, 2, 2, whole=False)


def test_an_answer_ends_where_there_is_no_more_room() -> None:
    lines = ["x" * 999] * 1_000
    page = fit(lines, 1, 1_000, 2_000)
    assert page == LinePage(1, PAGE_CHARS_MAX // 1_000, 1_000)
    assert not page.is_last
    last = fit(lines, 801, 1_000, 2_000)
    assert (last.first, last.last, last.is_last) == (801, 1_000, True)


def test_one_line_is_always_shown() -> None:
    assert fit(["x" * (2 * PAGE_CHARS_MAX)], 1, 1, 3 * PAGE_CHARS_MAX) == LinePage(1, 1, 1)
