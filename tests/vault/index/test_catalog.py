import pytest
from hypothesis import given, strategies as st

from commonplace.vault.index import catalog
from commonplace.vault.index.catalog import Catalog, CatalogEntry

PATHS = st.sampled_from([f"{folder}{name}.md" for folder in ("", "b/", "Ä/") for name in "abcXYZ"])
CHANGES = st.lists(st.tuples(st.booleans(), PATHS), max_size=40)


@pytest.mark.parametrize("few_of", [0, 10**9], ids=["picked", "met"])
@given(before=CHANGES, after=CHANGES, wanted=st.sets(st.integers(0, 80)), limit=st.integers(0, 9))
def test_the_first_of_some_notes_are_the_first_by_path(
    few_of: int,
    before: list[tuple[bool, str]],
    after: list[tuple[bool, str]],
    wanted: set[int],
    limit: int,
) -> None:
    notes, kept = Catalog(), dict[str, int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "_FEW_OF", few_of)
        for number, (there, path) in enumerate([*before, *after]):
            if number == len(before):
                notes.first_of({0}, 1)  # from here on the order is kept, no longer made
            if there:
                kept[path] = kept.get(path, number)
                notes.put(CatalogEntry(kept[path], path, number))
            else:
                kept.pop(path, None)
                notes.remove(path)
        expected = sorted(path for path, note in kept.items() if note in wanted)[:limit]
        assert notes.first_of(wanted, limit) == expected
        assert sorted(notes.paths_of(wanted))[:limit] == expected


@pytest.mark.parametrize("few_of", [0, 10**9], ids=["put in place", "sorted"])
@given(changes=st.lists(st.tuples(st.booleans(), PATHS, st.integers(0, 9)), max_size=60))
def test_the_newest_come_first_whatever_changed_since(
    few_of: int, changes: list[tuple[bool, str, int]]
) -> None:
    notes, kept = Catalog(), dict[str, CatalogEntry]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "_FEW_OF", few_of)
        for number, (there, path, age) in enumerate(changes):
            if there:
                kept[path] = CatalogEntry(number, path, age)
                notes.put(kept[path])
            elif kept.pop(path, None):
                notes.remove(path)
            if number % 3 == 0:
                notes.newest()
        shown = list(before := notes.newest())
        notes.put(CatalogEntry(99, "new.md", 5))
        notes.newest()
        assert before == shown, "whoever goes through it would miss some"
        notes.remove("new.md")
        expected = sorted(kept.values(), key=lambda e: (-e.mtime_ns, e.path))
        assert notes.newest() == expected
        assert notes.entries_of({entry.note for entry in expected}) == expected
