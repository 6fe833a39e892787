"""A region is written anew around the characters that stay."""

from commonplace.core import critic
from commonplace.core.text.edits import Edit


def test_pending_text_of_the_same_author_is_continued() -> None:
    document = '{++{"author":"Ann"}@@one two++}'
    made = critic.suggest(document, "two", "2", author="Ann")
    assert made.text == '{++{"author":"Ann"}@@one 2++}'


def test_the_base_text_is_not_touched_by_the_edits() -> None:
    made = critic.suggest("The cat sat.", "cat", "dog")
    assert made.edits == [Edit(4, 4, "{--"), Edit(7, 7, "--}{++dog++}")]
