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
