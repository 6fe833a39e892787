"""A snippet shows undecided text where it shows what a suggestion adds, and not by chance."""

from commonplace.core.search.undecided_text import shows


def test_what_a_suggestion_adds_is_seen_between_its_neighbours() -> None:
    assert shows("The green folder lies here.", "The ", "green", " folder lies")
    assert not shows("A green house.", "The ", "green", " folder lies")
    assert not shows("The red folder lies here.", "The ", "green", " folder lies")
    assert not shows("The folder lies here.", "The ", "", "folder lies")


def test_a_short_one_is_not_found_by_chance() -> None:
    assert not shows("There is a hedge and a slope.", "behind ", "a", " house")
    assert shows("…behind a house, far away.", "lies behind ", "a", " house, far")


def test_part_of_a_long_one_is_enough() -> None:
    long = " ".join(f"word{n}" for n in range(60))
    assert shows(f"…{long[120:300]}…", "", long, "")
    assert not shows("Nothing of all this.", "", long, "")


def test_one_that_is_all_of_a_note() -> None:
    assert shows("Only this.", "", "Only this.\n", "")
