"""What a first load of a large vault into Neo4j tells while it runs, by a clock of its own."""

import pytest

from commonplace.vault.nodes.neo4j.mirror import TOLD_FROM, ProgressLines


def told(caplog: pytest.LogCaptureFixture, steps: list[tuple[float, int]], todo: int) -> list[str]:
    now = 0.0
    lines = ProgressLines(lambda: now)
    for seconds, done in steps:
        now += seconds
        lines(done, todo)
    return [record.getMessage() for record in caplog.records]


def test_a_long_copy_tells_how_far_it_is_and_when_it_ends(caplog: pytest.LogCaptureFixture):
    steps = [(0.5, 200), (1.5, 400), (0.1, 600), (2.0, 9_000), (3.0, 20_000), (0.0, 20_000)]
    assert told(caplog, steps, 20_000) == [
        "Mirroring: 2 %",
        "Mirroring: 45 %",
        "Mirroring: all notes are there.",
    ]


def test_a_quick_copy_and_a_small_one_tell_nothing(caplog: pytest.LogCaptureFixture):
    assert told(caplog, [(0.1, 10_000), (0.1, 20_000)], 20_000) == []
    assert told(caplog, [(9.0, TOLD_FROM // 2), (9.0, TOLD_FROM)], TOLD_FROM) == []
