"""Questions about properties."""

from commonplace.vault.index.queries.properties import PropertyIndex
from tests.vault.index.queries.tables import index_of

NOTES = {
    "a.md": "---\nstatus: done\ntags: [x, y]\n---\n",
    "b.md": "---\nstatus: draft\n---\n",
    "c.md": "---\nstatus: done\n---\n",
    "d.md": "no properties",
}


def test_notes_are_found_by_any_of_some_values() -> None:
    index = PropertyIndex(index_of(NOTES))
    assert index.having("status", ["done"]) == {1, 3}
    assert index.having("status", ["done", "draft"]) == {1, 2, 3}
    assert index.having("tags", ["y"]) == {1}
    assert index.having("status", ["other"]) == index.having("other", ["done"]) == set()


def test_notes_are_counted_up_to_a_number() -> None:
    index = PropertyIndex(index_of(NOTES))
    assert index.count_having("status", ["done", "draft"], 10) == 3
    assert index.count_having("status", ["done", "draft"], 2) == 2


def test_among_some_notes_no_others_are_found() -> None:
    index = PropertyIndex(index_of(NOTES))
    assert index.having_of([1, 2, 4], "status", ["done", "draft"]) == {1, 2}
    assert index.having_of(list(range(1, 2_000)), "status", ["done"]) == {1, 3}
    assert index.having_of([], "status", ["done"]) == set()
