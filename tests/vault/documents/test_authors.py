"""Which actor writes under which client id: ours are drawn once, others' are their own choice."""

from commonplace.vault.documents.authors import Authors
from commonplace.vault.log.log import Author


def test_an_id_of_ours_is_drawn_once_and_is_nobody_elses() -> None:
    draws = iter((1, 2, 3, 4))
    authors = Authors(lambda: next(draws), [Author(2, "person:Ann", ours=False)])
    own = authors.own("assistant:Claude", {1})
    assert own == Author(3, "assistant:Claude", ours=True), "1 is used, and 2 is Ann's"
    assert authors.register([own]) == (own,)
    assert authors.own("assistant:Claude", {3}) == own
    assert authors.own("person:Ann", ()).client == 4, "what a client chose is not ours"


def test_the_first_of_an_id_stays() -> None:
    authors = Authors(lambda: 9, [])
    assert authors.meet([5, 6], "person:Ann") == (
        Author(5, "person:Ann", ours=False),
        Author(6, "person:Ann", ours=False),
    )
    assert authors.meet([5], "person:Bo") == ()
    assert authors.register([Author(5, "person:Bo", ours=True)]) == ()
    assert authors.actors() == {5: "person:Ann", 6: "person:Ann"}


def test_ours_are_told_from_others() -> None:
    authors = Authors(lambda: 9, [Author(1, "server", ours=True), Author(2, "Ann", ours=False)])
    assert [authors.are_ours(ids) for ids in ([1], [2, 1], [2], [3], [])] == [
        True,
        True,
        False,
        False,
        False,
    ]
