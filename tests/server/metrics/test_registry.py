"""Everybody who has numbers is asked, and what has one name stands together."""

from collections.abc import Iterator

from commonplace.server.metrics.registry import Registry, joined, named
from commonplace.server.metrics.text import Family, gauge


def notes(count: int) -> Family:
    return gauge("notes", "How many notes.", count)


def values(families: list[Family]) -> dict[str, list[float]]:
    return {each.name: [sample.value for sample in each.samples] for each in families}


def test_whoever_tells_is_asked_as_long_as_it_runs() -> None:
    registry = Registry()
    before = values(registry.families()).keys()
    assert "process_start_time_seconds" in before

    def source() -> Iterator[Family]:
        yield notes(3)

    with registry.telling(source), registry.telling(source):
        assert values(registry.families())["notes"] == [3, 3]
    assert values(registry.families()).keys() == before


def test_each_name_stands_once_with_all_its_samples() -> None:
    found = joined([notes(1), gauge("other", "", 9), notes(2)])
    assert values(found) == {"notes": [1, 2], "other": [9]}


def test_every_sample_says_which_vault_it_is_of() -> None:
    (found,) = named([notes(1)], "team")
    assert found.samples[0].labels == (("vault", "team"),)
