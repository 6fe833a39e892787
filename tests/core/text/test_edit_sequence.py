"""Lists of edits that are made one after the other."""

from hypothesis import given

from commonplace.core.text.edit_sequence import compose
from commonplace.core.text.edits import apply, diff
from tests.core.text.versions import texts, versions


@given(versions(), texts)
def test_two_lists_of_edits_can_be_made_as_one(pair: tuple[str, str], last: str) -> None:
    old, new = pair
    first, second = diff(old, new), diff(new, last)
    both = compose(len(old), first, second)
    assert apply(old, both) == last
    assert both == sorted(both)
