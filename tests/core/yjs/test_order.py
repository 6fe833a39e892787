"""A new item stands between its neighbours: shown by the update itself, asked, or refused."""

import pytest

from commonplace.core.yjs.encoding import HostileUpdate, LargeUpdate
from commonplace.core.yjs.order import ItemNeighbours, pairs_to_ask, refuse_order, since
from commonplace.core.yjs.update import Id, Item


def item(
    client: int, clock: int, end: int, left: Id | None = None, right: Id | None = None
) -> Item:
    return Item(client, clock, end, left, right)


def test_what_is_known_of_an_item_is_left_out() -> None:
    whole = item(1, 4, 8, (2, 0))
    assert since(whole, {}) == whole
    assert since(whole, {1: 4}) == whole
    assert since(whole, {1: 6}) == item(1, 6, 8, (1, 5))
    assert since(whole, {1: 8}) is None


def test_an_item_at_an_end_needs_no_question() -> None:
    items = [item(1, 0, 2, None, (2, 0)), item(1, 2, 4, (2, 5), None)]
    assert pairs_to_ask(items, {}, {}) == []


def test_neighbours_of_which_the_update_says_nothing_are_asked_about() -> None:
    items = [item(1, 3, 4, (2, 5), (3, 7))]
    assert pairs_to_ask(items, {1: 3}, {}) == [((2, 5), (3, 7))]
    assert pairs_to_ask(items, {1: 4}, {}) == [], "it is known"


def test_an_item_that_was_put_beside_a_neighbour_shows_the_order() -> None:
    assert pairs_to_ask([item(3, 7, 8, (2, 5)), item(1, 0, 1, (2, 5), (3, 7))], {}, {}) == []
    right = [item(2, 5, 6, None, (3, 7)), item(1, 0, 1, (2, 5), (3, 7))]
    assert pairs_to_ask(right, {}, {}) == []
    inside = [item(2, 0, 9), item(1, 0, 1, (2, 3), (2, 4))]
    assert pairs_to_ask(inside, {}, {}) == []


def test_who_goes_on_where_they_were_is_not_asked_about() -> None:
    items = [item(1, 3, 4, (1, 2), (3, 7))]
    assert pairs_to_ask(items, {1: 3}, {1: item(1, 0, 3, None, (3, 7))}) == []
    other = {1: item(1, 0, 3, None, (3, 8))}
    assert pairs_to_ask(items, {1: 3}, other) == [((1, 2), (3, 7))]


@pytest.mark.parametrize(
    "items",
    [
        [item(1, 0, 1, (2, 5), (2, 5))],
        [item(2, 0, 9), item(1, 0, 1, (2, 4), (2, 3))],
    ],
)
def test_a_right_neighbour_that_is_not_behind_the_left_is_refused(items: list[Item]) -> None:
    with pytest.raises(HostileUpdate, match="not behind its left one"):
        pairs_to_ask(items, {}, {})
    with pytest.raises(HostileUpdate):
        refuse_order()


def test_neighbours_in_the_same_update_whose_order_is_unclear_make_it_too_large() -> None:
    items = [item(2, 0, 1), item(1, 0, 1, (2, 0), (3, 7))]
    with pytest.raises(LargeUpdate):
        pairs_to_ask(items, {}, {})


def test_what_is_in_an_item_is_known_to_its_last_clock() -> None:
    fresh = ItemNeighbours()
    fresh.add(item(1, 4, 8))
    assert [fresh.has((1, clock)) for clock in (3, 4, 7, 8)] == [False, True, True, False]
    assert not fresh.has((2, 4))
    assert list(fresh.all()) == [item(1, 4, 8)]
