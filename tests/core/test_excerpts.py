"""From matches in a text to the lines that are shown for them."""

from hypothesis import given, strategies as st

from commonplace.core import excerpts

TEXT = b"one\ntwo\nthree\nfour\nfive\nsix\n"


def shown(text: bytes, spans: list[tuple[int, int]], before: int = 0, after: int = 0) -> list[str]:
    found = excerpts.excerpt("a.md", text, spans, before, after).lines
    return [f"{line.number}{':' if line.is_match else '-'}{line.text}" for line in found]


def span(words: bytes, text: bytes = TEXT) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


def test_a_match_shows_its_line_and_those_around_it() -> None:
    assert shown(TEXT, [span(b"three")]) == ["3:three"]
    assert shown(TEXT, [span(b"three")], 1, 1) == ["2-two", "3:three", "4-four"]
    assert shown(TEXT, [span(b"one")], 2, 1) == ["1:one", "2-two"]
    assert shown(TEXT, [span(b"six")], 1, 5) == ["5-five", "6:six"]


def test_lines_between_two_matches_are_shown_once() -> None:
    spans = [span(b"two"), span(b"four")]
    assert shown(TEXT, spans, 1, 1) == ["1-one", "2:two", "3-three", "4:four", "5-five"]


def test_a_match_of_several_lines_shows_each() -> None:
    assert shown(TEXT, [span(b"wo\nthr")]) == ["2:two", "3:three"]


def test_a_comment_stands_behind_its_line() -> None:
    spans = [span(b"two"), span(b"five")]
    found = excerpts.excerpt("a.md", TEXT, spans, 0, 0, [(2, "{>>why?<<}")])
    assert [line.text for line in found.lines] == ["two", "{>>why?<<}", "five"]


lines = st.lists(st.sampled_from([b"", b"a", b"ab", b"ba b"]), max_size=12)


@given(lines, st.integers(0, 3), st.integers(0, 3))
def test_it_shows_what_a_plain_look_at_every_line_shows(
    given_lines: list[bytes], before: int, after: int
) -> None:
    text = b"".join(line + b"\n" for line in given_lines)
    spans = [(at, at + 1) for at in range(len(text)) if text[at : at + 1] == b"b"]
    matching = {number for number, line in enumerate(given_lines, 1) if b"b" in line}
    near = {
        number
        for number in range(1, len(given_lines) + 1)
        if any(number - after <= match <= number + before for match in matching)
    }
    wanted = [
        f"{number}{':' if number in matching else '-'}{given_lines[number - 1].decode()}"
        for number in sorted(near)
    ]
    assert shown(text, spans, before, after) == wanted
    assert list(excerpts.matching_lines(text, spans)) == sorted(matching)
