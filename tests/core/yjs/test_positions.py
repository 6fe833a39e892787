"""Where an update wrote, or took away."""

from commonplace.core.yjs.positions import BEFORE, BEHIND, last_place
from tests.core.yjs.updates import after, deleting, section, update


def _at(client: int, clock: int, side: int) -> dict[str, object]:
    item = {"client": client, "clock": clock}
    return {"type": None, "tname": "contents", "item": item, "assoc": side}


def test_the_place_is_behind_the_last_letter_written() -> None:
    found = update(section(7, 3, after(7, 2, "ab"), after(9, 1, "😀")), deletes=deleting((9, 0, 2)))
    assert last_place(found) == _at(7, 6, BEHIND)


def test_without_letters_it_is_before_what_went() -> None:
    assert last_place(update(deletes=deleting((9, 4, 2)))) == _at(9, 4, BEFORE)


def test_an_update_without_either_has_no_place() -> None:
    assert last_place(b"\0\0") is None
