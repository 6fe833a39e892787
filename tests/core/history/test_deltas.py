"""What a revision changed, kept as bytes."""

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from commonplace.core.history import (
    PassageChange,
    apply,
    between,
    decode,
    encode,
    inverse,
)
from tests.core.history.histories import (
    words,
)


@settings(max_examples=100)
@given(st.text(), st.text())
def test_a_delta_between_any_two_texts_leads_from_one_to_the_other(old: str, new: str) -> None:
    delta = between(old, new)
    assert apply(old, delta) == new
    assert apply(new, inverse(delta)) == old
    assert decode(encode(delta)) == delta


@pytest.mark.parametrize("data", [b"", b"\2", b"\0\1\5ab", b"\1xyz", b"\0\0\1\xff\0\0"])
def test_bytes_that_are_no_delta_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="a delta"):
        decode(data)


def test_a_delta_of_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        apply("cat", (PassageChange(0, "dog", "cow"),))


def test_a_long_revision_is_kept_small() -> None:
    text = words(Random(1), 2_000)
    assert len(encode(between("", text))) < len(text.encode()) / 2
