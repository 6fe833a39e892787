"""What a person is shown of a write is what is made, or nothing is."""

import pytest

from commonplace.vault.notes import preview
from commonplace.vault.permissions.requests import Changed


def test_a_change_is_made_only_as_it_was_shown() -> None:
    before, after = "one\ntwo\n", "one\n2\n"
    change = {"shown": preview.shown_change(before, after)}
    preview.refuse_other_than_shown(change, before, after)
    with pytest.raises(Changed) as refused:
        preview.refuse_other_than_shown(change, before, "one\n2 and more\n")
    assert "2 and more" in refused.value.diff


def test_the_same_change_further_down_is_the_same_change() -> None:
    before, after = "one\ntwo\n", "one\n2\n"
    change = {"shown": preview.shown_change(before, after)}
    above = "new above\n" * 9
    preview.refuse_other_than_shown(change, above + before, above + after)


def test_what_was_not_shown_is_not_compared() -> None:
    preview.refuse_other_than_shown({}, "a", "b")


def test_suggestions_that_wait_are_marked_in_each_line() -> None:
    shown = preview.shown_change("a {++b\nc++} d\n", "a {++b\nc++} e\n")
    assert [line for line in shown.split("\n") if line[:1] in "+-"] == ["-{++c++} d", "+{++c++} e"]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", "0 bytes, 0 words"),
        ("a", "1 byte, 1 word"),
        ("one é two", "10 bytes, 3 words"),
        ("word " * 1_000, "5,000 bytes, 1,000 words"),
    ],
)
def test_a_size_is_told_in_words(text: str, size: str) -> None:
    assert preview.size_of(text) == size


def test_links_that_would_break_are_counted_and_the_first_are_named() -> None:
    assert preview.backlink_warning([]) == ". No other note links to it."
    assert preview.backlink_warning(["a.md"]) == ". 1 note links to it: a.md."
    many = [f"{number}.md" for number in range(7)]
    assert preview.backlink_warning(many).endswith("0.md, 1.md, 2.md, 3.md, 4.md, …")
    hidden = preview.backlink_warning(["a.md"], hidden=2)
    assert hidden.endswith("Outside the folders that the asker sees, 2 notes link to it.")


def test_suggestions_that_go_with_a_note_are_counted() -> None:
    assert [preview.lost_suggestions(count) for count in (0, 1, 3)] == [
        "",
        ", and 1 suggestion that waits",
        ", and 3 that wait",
    ]
