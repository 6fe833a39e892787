"""Questions about tags."""

import pytest

from commonplace.vault.index.queries.tags import TagIndex
from tests.vault.index.queries.tables import index_of

NOTES = {
    "a.md": "#Garden #garden/bees #tea",
    "b.md": "#garden/bees/queen",
    "c.md": "#gardening #tea",
    "d.md": "none",
}


@pytest.fixture
def tags() -> TagIndex:
    return TagIndex(index_of(NOTES))


def test_a_tag_counts_as_those_it_is_nested_in(tags: TagIndex) -> None:
    assert [path for path, _ in tags.carriers("#garden")] == ["a.md", "b.md"]
    assert [path for path, _ in tags.carriers("GARDEN/bees")] == ["a.md", "b.md"]
    assert [path for path, _ in tags.carriers("gardening")] == ["c.md"]
    assert tags.carriers("gard") == []


def test_any_or_every_of_some_tags(tags: TagIndex) -> None:
    assert tags.carrying(["garden", "tea"], every=False) == {1, 2, 3}
    assert tags.carrying(["garden", "tea"], every=True) == {1}
    assert tags.carrying(["#garden/"], every=True) == {1, 2}


def test_the_most_used_come_first(tags: TagIndex) -> None:
    assert tags.counted(1) == [("tea", 2)]


def test_the_tags_of_notes_come_as_they_stand(tags: TagIndex) -> None:
    assert tags.of([1, 4], 2) == {1: ["Garden", "garden/bees"], 4: []}
