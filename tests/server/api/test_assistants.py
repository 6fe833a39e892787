"""Which assistants were here, and what each did last."""

from commonplace.server.api.assistants import ASSISTANTS_MAX, CONNECTED_SECONDS, Visit, Visits
from tests.clock import Clock


def test_the_latest_visit_of_each_counts_and_comes_first() -> None:
    clock = Clock(1_000.5)
    visits = Visits(clock)
    visits.note("Ada", "read", {"file_path": "a.md"})
    visits.note("Ben", "get_node", {"path": 5, "id": "b.md"})
    clock.now += 1
    visits.note("Ada", "get_hubs", {"limit": 5})
    assert visits.listed() == [
        {
            "name": "Ada",
            "connected": True,
            "last": {"tool": "get_hubs", "path": None, "time": 1_001_500},
        },
        {
            "name": "Ben",
            "connected": True,
            "last": {"tool": "get_node", "path": "b.md", "time": 1_000_500},
        },
    ]


def test_who_was_silent_for_long_is_not_here() -> None:
    clock = Clock()
    visits = Visits(clock)
    visits.note("Ada", "read", {})
    clock.now += CONNECTED_SECONDS - 1
    assert visits.listed()[0]["connected"] is True
    clock.now += 1
    assert visits.listed()[0]["connected"] is False


def test_of_very_many_the_earliest_are_forgotten() -> None:
    visits = Visits(Clock())
    for number in range(ASSISTANTS_MAX + 2):
        visits.note(f"a{number}", "read", {})
    names = [each["name"] for each in visits.listed()]
    assert (len(names), names[0], names[-1]) == (ASSISTANTS_MAX, "a101", "a2")


def test_who_follows_hears_of_every_call_until_it_stops() -> None:
    visits, heard = Visits(Clock(7.0)), list[Visit]()
    stop = visits.follow(heard.append)
    visits.note("Ada", "read", {"path": "a.md"})
    stop()
    visits.note("Ada", "read", {"path": "b.md"})
    assert heard == [Visit("Ada", "read", "a.md", 7.0)]
