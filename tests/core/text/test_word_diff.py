"""Word by word, what changed."""

from hypothesis import given, strategies as st

from commonplace.core.text.word_diff import word_diff


def test_only_the_words_that_differ_are_marked() -> None:
    assert word_diff("the quick fox", "the slow fox") == [
        ("same", "the "),
        ("gone", "quick"),
        ("new", "slow"),
        ("same", " fox"),
    ]
    assert word_diff("", "new") == [("new", "new")]
    assert word_diff("old", "") == [("gone", "old")]


@given(st.text("ab é\n.", max_size=30), st.text("ab é\n.", max_size=30))
def test_both_texts_can_be_read_off(old: str, new: str) -> None:
    parts = word_diff(old, new)
    assert "".join(text for kind, text in parts if kind != "new") == old
    assert "".join(text for kind, text in parts if kind != "gone") == new
