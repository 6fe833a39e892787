"""A change as people know it from `diff -u`."""

from hypothesis import given, strategies as st

from commonplace.core.text.unified_diff import LINE_CHARS_MAX, unified

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def test_a_change_is_shown_with_two_lines_around_it() -> None:
    assert unified(TEN, TEN.replace("line 5", "LINE 5")).split("\n") == [
        "@@ line 5 @@",
        " line 3",
        " line 4",
        "-line 5",
        "+LINE 5",
        " line 6",
        " line 7",
    ]


def test_changes_far_apart_are_two_groups() -> None:
    new = TEN.replace("line 1\n", "").replace("line 10", "ten")
    shown = unified(TEN, new).split("\n")
    assert [line for line in shown if line.startswith("@@")] == ["@@ line 1 @@", "@@ line 10 @@"]
    assert [line for line in shown if line[0] in "-+"] == ["-line 1", "-line 10", "+ten"]


def test_what_is_cut_off_is_counted() -> None:
    new = "".join(f"new {number}\n" for number in range(50))
    shown = unified("", new, lines_max=10).split("\n")
    assert len(shown) == 11
    assert shown[-1] == "… and 41 more lines"


def test_what_cannot_be_seen_is_named() -> None:
    assert "+a<U+202E>b" in unified("", "a\u202eb\n").split("\n")


def test_a_line_end_alone_is_told() -> None:
    assert unified("a\n", "a") == "(only the line end at the end of the text differs)"
    assert unified("a\n", "a\n") == ""


def test_a_long_line_is_folded_where_it_does_not_change() -> None:
    old = "word " * 1_000 + "here" + " word" * 1_000
    shown = unified(old, old.replace("here", "THERE"))
    assert "THERE" in shown
    assert "characters more" in shown
    assert max(map(len, shown.split("\n"))) < LINE_CHARS_MAX


texts = st.lists(st.sampled_from(["a", "b", "", "c d"]), max_size=8).map("\n".join)


@given(texts, texts)
def test_every_line_that_comes_or_goes_is_one_of_the_texts(old: str, new: str) -> None:
    shown = unified(old, new).split("\n")
    assert (shown == [""]) == (old == new)
    for line in shown:
        if line[:1] == "-":
            assert line[1:] in old.split("\n")
        elif line[:1] == "+":
            assert line[1:] in new.split("\n")
