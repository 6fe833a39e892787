"""Questions about suggestions."""

from commonplace.vault.index.queries.suggestions import PendingIndex
from tests.vault.index.queries.tables import index_of

NOTES = {"b.md": "one {++two++}\n{--three--}\n", "a.md": "{++four++}", "c.md": "none"}


def test_suggestions_are_told_by_note_and_place() -> None:
    index = PendingIndex(index_of(NOTES))
    rows = index.of(["b.md", "a.md", "c.md"])
    assert [(row[0], row[2], row[3], row[4], row[5]) for row in rows] == [
        ("a.md", "insert", 1, "", "four"),
        ("b.md", "insert", 1, "", "two"),
        ("b.md", "delete", 2, "three", ""),
    ]
    assert rows[1][-2:] == ("one ", "")


def test_they_are_counted_by_note() -> None:
    index = PendingIndex(index_of(NOTES))
    assert index.counts() == {"a.md": 1, "b.md": 2}
    assert index.counts("delete") == {"b.md": 1}
    assert [path for path, *_ in index.authors()] == ["a.md", "b.md", "b.md"]
