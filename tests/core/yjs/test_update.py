"""Whether an update can be integrated, and updates written by ourselves."""

from collections.abc import Mapping

import pytest

from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import behind_update, first_update
from tests.core.yjs.updates import after, deleting, first, section, skip, update


@pytest.mark.parametrize(
    ("known", "reach"),
    [({}, 6), ({7: 2}, 6), ({7: 9}, 9)],
)
def test_how_far_a_client_is_known_goes_by_what_goes_further(
    known: Mapping[int, int], reach: int
) -> None:
    found = scan(update(section(7, 3, after(1, 0, "abc"))))
    assert found.reach(7, known) == reach
    assert found.reach(8, known) == 0


@pytest.mark.parametrize(
    ("written", "known", "ready"),
    [
        (update(section(7, 0, first("abc"))), {}, True),
        (update(section(7, 3, after(1, 0, "a"))), {1: 1, 7: 3}, True),
        (update(section(7, 3, after(1, 0, "a"))), {1: 1, 7: 2}, False),
        (update(section(7, 3, after(1, 0, "a"))), {7: 3}, False),
        (update(section(7, 3, after(7, 2, "a"), skip(2), after(7, 3, "b"))), {7: 3}, False),
        (update(deletes=deleting((1, 0, 2))), {1: 2}, True),
        (update(deletes=deleting((1, 0, 2))), {1: 1}, False),
        (update(section(1, 0, first("ab")), deletes=deleting((1, 0, 2))), {}, True),
        (update(), {}, True),
    ],
)
def test_an_update_is_ready_where_all_that_it_needs_is_known(
    written: bytes, known: Mapping[int, int], ready: bool
) -> None:
    assert scan(written).ready(known) == ready


def test_the_updates_that_we_write_are_read_as_they_are_meant() -> None:
    written = first_update(5, "contents", "é😀")
    assert written == update(section(5, 0, first("é😀")))
    assert scan(written).spans == {5: [(0, 3)]}
    more = behind_update(9, 4, {(5, 2): "ab", (1, 0): "c"})
    assert more == update(section(9, 4, after(5, 2, "ab"), after(1, 0, "c")))
    assert scan(more).spans == {9: [(4, 7)]}
