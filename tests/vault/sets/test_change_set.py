"""Grouping: short gaps join, long ones part; the state follows from what waits and what ended."""

from itertools import pairwise

from hypothesis import given, strategies as st

from commonplace.vault.sets.change_set import (
    GAP_SECONDS_MAX,
    SET_QUIET_SECONDS,
    ChangeSet,
    Counts,
    assistant_key,
    grouped,
    joins,
    state_of,
)

TIMES = st.lists(st.integers(0, 20_000).map(float), max_size=60).map(sorted)


@given(TIMES)
def test_groups_are_the_times_in_their_order(times: list[float]) -> None:
    assert [time for group in grouped(times) for time in group] == times


@given(TIMES)
def test_gaps_are_short_inside_a_group_and_long_between_groups(times: list[float]) -> None:
    groups = grouped(times)
    assert all(b - a < GAP_SECONDS_MAX for group in groups for a, b in pairwise(group))
    assert all(b[0] - a[-1] >= GAP_SECONDS_MAX for a, b in pairwise(groups))


@given(TIMES, st.integers(0, 20_000).map(float))
def test_one_more_write_joins_groups_and_never_parts_them(times: list[float], more: float) -> None:
    before = {time: n for n, group in enumerate(grouped(times)) for time in group}
    after = {time: n for n, group in enumerate(grouped(sorted([*times, more]))) for time in group}
    for a, b in pairwise(times):
        assert before[a] != before[b] or after[a] == after[b]


@given(TIMES, st.integers(1, 10**6).map(float))
def test_what_counts_is_the_gaps_and_not_the_hour(times: list[float], shift: float) -> None:
    moved = grouped(time + shift for time in times)
    assert moved == [[time + shift for time in group] for group in grouped(times)]


def test_a_gap_of_ten_minutes_is_too_long() -> None:
    assert joins(0.0, GAP_SECONDS_MAX - 0.001)
    assert not joins(0.0, GAP_SECONDS_MAX)


def test_a_token_is_one_assistant_whatever_it_calls_itself() -> None:
    assert assistant_key("token:1", "Claude") == assistant_key("token:1", "Cursor")
    assert assistant_key("process:1", "Claude") != assistant_key("process:1", "Cursor")
    assert assistant_key("process:1", "Claude") != assistant_key("process:2", "Claude")


def test_states() -> None:
    one = ChangeSet(1, "k", "Claude", 0.0)
    waiting = Counts(waiting=2)
    assert state_of(one, 100.0, waiting, 100.0 + SET_QUIET_SECONDS - 1) == "open"
    assert state_of(one, 100.0, waiting, 100.0 + SET_QUIET_SECONDS) == "ready"
    assert state_of(one, 100.0, waiting, 9e9, held=True) == "open"
    said = ChangeSet(1, "k", "Claude", 0.0, said_ready=True)
    assert state_of(said, 100.0, waiting, 100.0) == "ready"
    assert state_of(one, 0.0, Counts(waiting=1, rejected=1), 9e9) == "partly decided"
    assert state_of(one, 0.0, Counts(accepted=1, rejected=1), 9e9) == "accepted"
    assert state_of(one, 0.0, Counts(modified=1), 9e9) == "accepted"
    assert state_of(one, 0.0, Counts(rejected=1, withdrawn=1), 9e9) == "rejected"
    assert state_of(one, 0.0, Counts(withdrawn=1), 9e9) == "withdrawn"
