"""Names from titles."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import file_names, paths
from commonplace.errors import BadArgument


@pytest.mark.parametrize(
    ("stem", "title", "name"),
    [
        ("old-note", "New Note", "new-note"),
        ("Old Note", "New Note", "New Note"),
        ("note", "A: B?", "a-b"),
        ("Note", "A: B?", "A B"),
    ],
)
def test_a_new_name_is_in_the_style_of_the_old(stem: str, title: str, name: str) -> None:
    assert file_names.in_the_style_of(stem, title) == name


@pytest.mark.parametrize("title", ["", "???", "  ", "\u200b", "..", "///"])
def test_a_title_without_letters_names_nothing(title: str) -> None:
    with pytest.raises(BadArgument):
        file_names.slug(title)


@given(st.text(max_size=300))
def test_what_comes_out_is_a_name_or_a_refusal(title: str) -> None:
    for make in (file_names.slug, file_names.file_name):
        try:
            name = make(title)
            paths.new_note_path(f"{name}.md")
        except BadArgument:
            continue
        assert "/" not in name
