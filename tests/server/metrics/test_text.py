"""The text format, and what is counted under which word."""

import pytest

from commonplace.server.metrics.counts import Counters, kind_of
from commonplace.server.metrics.registry import Registry, joined, named
from commonplace.server.metrics.text import Family, Sample, gauge, histogram, render
from commonplace.vault.durations import BOUNDS, Durations
from tests.server.metrics.exposition import parse


def test_a_label_holds_whatever_it_is_given() -> None:
    text = render([gauge("a", "Of\nlines \\ too.", 1, vault='q"\\\n')])
    assert text.splitlines()[0] == r"# HELP a Of\nlines \\ too."
    assert parse(text)[r'a{vault="q\"\\\n"}'] == 1


def test_durations_are_counted_up_to_each_bound() -> None:
    durations = Durations()
    for seconds in (0.0005, 0.001, 0.3, 99.0):
        durations.add(seconds)
    found = parse(render([histogram("t", "x", "database", {"log": durations})]))
    assert found['t_bucket{database="log",le="0.001"}'] == 2
    assert found['t_bucket{database="log",le="0.25"}'] == 2
    assert found['t_bucket{database="log",le="0.5"}'] == 3
    assert found['t_count{database="log"}'] == 4
    assert found['t_sum{database="log"}'] == pytest.approx(99.3015)
    assert len(found.samples) == len(BOUNDS) + 3


def test_numbers_of_two_vaults_stand_together_and_say_whose_they_are() -> None:
    registry = Registry()
    with (
        registry.telling(lambda: named([gauge("n", "x", 1)], "a")),
        registry.telling(lambda: named([gauge("n", "x", 2)], "b")),
    ):
        found = parse(render(registry.families()))
        assert (found['n{vault="a"}'], found['n{vault="b"}']) == (1, 2)
    assert "n" not in parse(render(registry.families())).kinds
    with pytest.raises(AssertionError):  # the control: side by side, they would not be read
        parse(render([gauge("n", "x", 1), gauge("n", "x", 2)]))
    assert len(joined([Family("n", "gauge", "x", (Sample(1),))] * 2)) == 1


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "page"),
        ("/mcp", "mcp"),
        ("/api/note", "api"),
        ("/sync/4f", "sync"),
        ("/readyz", "probe"),
        ("/wp-login.php", "other"),
    ],
)
def test_of_a_path_only_its_kind_is_kept(path: str, kind: str) -> None:
    assert kind_of(path) == kind


def test_of_an_actor_only_the_kind_is_kept() -> None:
    counts = Counters()
    for actor in ("person:Ann", "assistant:Claude", "file", "weird:name"):
        counts.add_edit(actor)
    found = parse(render(counts.families()))
    assert found.samples == {
        'commonplace_edits_total{by="assistant"}': 1,
        'commonplace_edits_total{by="person"}': 1,
        'commonplace_edits_total{by="program"}': 2,
    }
