"""What an index keeps of a note."""

from hypothesis import given, strategies as st

from commonplace.core import digest
from commonplace.core.links import NameKind

NOTE = """---
title: The title
aliases: [Other]
status: done
---
# Heading

Two {--old--}{++new++} words with a [[Link|shown]] and a #tag.
"""


def test_all_but_the_suggestions_is_of_the_accepted_view() -> None:
    found = digest.digest("Folder/Note.md", NOTE)
    assert found.title == "The title"
    assert "old" not in found.text
    assert found.names == (
        ("note", NameKind.FILE, ""),
        ("other", NameKind.ALIAS, "Other"),
        ("the title", NameKind.TITLE, "The title"),
    )
    assert [(link.target, link.key) for link in found.links] == [("Link", "link")]
    assert found.tags == ("tag",)
    assert ("status", "done") in found.properties
    assert found.headings == 1
    ((_, kind, line, old, new, *_),) = found.pending
    assert (kind, line, old, new) == ("replace", 8, "old", "new")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_a_row_of_the_full_text_is_taken_out_by_what_was_put_in(text: str) -> None:
    found = digest.digest("a.md", text)
    assert digest.searchable(found.title, found.text) == (found.search_title, found.search_body)
