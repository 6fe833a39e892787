"""What an assistant gives becomes the whole text of a note, and nothing else of it changes."""

import pytest
from hypothesis import given, strategies as st

from commonplace.core import frontmatter
from commonplace.core.compose import composed, merged, parts, rewritten
from commonplace.errors import BadArgument, ChangedSinceRead

TEXTS = st.text(alphabet="a-\n :é", max_size=20)


@pytest.mark.parametrize(
    ("content", "properties", "text"),
    [
        ("", None, ""),
        ("body", {}, "body"),
        ("body", {"a": 1}, "---\na: 1\n---\n\nbody"),
        ("\nbody", {"a": 1}, "---\na: 1\n---\n\nbody"),
        ("---\na: 1\n---\nbody", None, "---\na: 1\n---\nbody"),
        ("one\r\ntwo\r\n", None, "one\ntwo\n"),
    ],
)
def test_a_new_note_is_its_properties_a_blank_line_and_its_content(
    content: str, properties: dict[str, object] | None, text: str
) -> None:
    assert composed(content, properties) == text


@pytest.mark.parametrize("content", ["---\na: 1\n---\nbody", "---\r\na: 1\r\n---\r\nbody"])
def test_properties_given_twice_are_refused(content: str) -> None:
    with pytest.raises(BadArgument, match="Leave one of the two out"):
        composed(content, {"b": 2})
    with pytest.raises(BadArgument, match="Leave one of the two out"):
        rewritten("old", content, {"b": 2})


@pytest.mark.parametrize(
    ("text", "content", "properties", "after"),
    [
        ("old", "new", None, "new"),
        ("---\na: 1\n---\n\n\nold", "new", None, "---\na: 1\n---\n\n\nnew"),
        ("---\na: 1\n---\n\nold", "\n\nnew", None, "---\na: 1\n---\n\n\nnew"),
        ("---\na: 1\n---\n\n", "new", None, "---\na: 1\n---\nnew"),
        ("---\na: 1\n---\nold", "---\nb: 2\n---\nnew", None, "---\nb: 2\n---\nnew"),
        ("---\na: 1\n---\nold", None, {"a": 2}, "---\na: 2\n---\nold"),
        ("---\na: 1\n---\nold", "new", {}, "new"),
        ("---\na: 1\n---\nold", None, None, "---\na: 1\n---\nold"),
    ],
)
def test_what_is_not_given_stays(
    text: str, content: str | None, properties: dict[str, object] | None, after: str
) -> None:
    assert rewritten(text, content, properties) == after


@given(st.one_of(TEXTS, TEXTS.map(lambda body: f"---\na: 1\n---\n{body}")))
def test_the_parts_of_a_note_are_the_note(text: str) -> None:
    block, body = parts(text)
    assert block + body == text
    assert bool(block) == (frontmatter.split(text) is not None)


def test_a_change_is_made_in_a_text_that_others_have_changed() -> None:
    base = "one\n\ntwo\n\nthree\n"
    assert merged(base, base, "new") == "new"
    assert merged(base, "new", "new") == "new"
    current, wanted = base.replace("one", "ONE"), base.replace("three", "THREE")
    assert merged(base, current, wanted) == "ONE\n\ntwo\n\nTHREE\n"


def test_properties_that_would_be_broken_by_both_changes_are_refused() -> None:
    base = "---\na: 1\n---\nbody"
    current, wanted = "---\na: 1\nb: 2\n---\nbody", "---\na: 1\nb: 3\nc: 4\n---\nbody"
    with pytest.raises(ChangedSinceRead):
        merged(base, current, wanted)
