"""Texts and blame are the same once they were packed."""

from hypothesis import given, strategies as st

from commonplace.core import history
from commonplace.vault.history import rows

BLAMES = st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**9))).map(tuple)


@given(BLAMES)
def test_blame_is_the_same_once_it_was_packed(blame: history.Blame) -> None:
    assert rows.unpacked_blame(rows.packed_blame(blame)) == blame


def test_no_blame_is_nothing() -> None:
    assert rows.unpacked_blame(b"") == ()


@given(st.text(), st.text())
def test_a_text_is_the_same_once_it_was_packed_and_the_one_before_follows(
    before: str, after: str
) -> None:
    full = rows.packed_text(after)
    assert rows.unpacked_text(full) == after
    delta = history.encode(history.between(before, after))
    assert rows.text_before(full, delta) == before


def test_half_a_surrogate_pair_is_kept() -> None:
    assert rows.unpacked_text(rows.packed_text("a\ud800")) == "a\ud800"


def test_a_row_is_a_revision() -> None:
    delta = history.between("a", "b")
    fields = (3, "d", "a.md", 1.0, 2.0, "person:Ann", "typing", "s", "was.md")
    found = rows.revision((*fields, history.encode(delta)))
    assert (found.id, found.document, found.set, found.note, found.delta) == (
        3,
        "d",
        "s",
        "was.md",
        delta,
    )
