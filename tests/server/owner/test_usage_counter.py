"""Who is there, and since when nobody is."""

from commonplace.server.owner.usage_counter import UsageCounter


def test_the_time_runs_from_when_the_last_one_left() -> None:
    now = 100.0
    usage = UsageCounter(lambda: now)
    now = 103.0
    assert usage.seconds_idle == 3.0
    with usage.present():
        now = 110.0
        with usage.present():
            assert usage.seconds_idle == 0.0
        now = 120.0
        assert usage.seconds_idle == 0.0
    now = 122.0
    assert usage.seconds_idle == 2.0
