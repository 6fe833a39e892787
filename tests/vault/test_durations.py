"""Durations as counts."""

from commonplace.vault.durations import BOUNDS, Durations


def test_each_bound_counts_what_took_at_most_so_long() -> None:
    durations = Durations()
    for seconds in (0.0, 0.001, 0.002, 0.3, 99.0):
        durations.add(seconds)
    counts = dict(zip((*BOUNDS, "all"), durations.up_to(), strict=True))
    assert counts[0.001] == 2
    assert counts[0.0025] == counts[0.25] == 3
    assert counts[0.5] == counts[10.0] == 4
    assert counts["all"] == 5
    assert durations.seconds == 99.303


def test_nothing_counted_is_nothing() -> None:
    assert Durations().up_to() == [0] * (len(BOUNDS) + 1)
