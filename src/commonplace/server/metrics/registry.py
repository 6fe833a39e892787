"""Everything in a process that has numbers to tell: its vaults, and the process itself."""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace

from commonplace.server.metrics.process import process_families
from commonplace.server.metrics.text import Family, Sample

Source = Callable[[], Iterable[Family]]


class Registry:
    """Whoever has something to tell now; asked when a monitor asks."""

    def __init__(self) -> None:
        self._sources: list[Source] = [process_families]

    @contextmanager
    def telling(self, source: Source) -> Generator[None]:
        """Ask this one too, as long as the body runs."""
        self._sources.append(source)
        try:
            yield
        finally:
            self._sources.remove(source)

    def families(self) -> list[Family]:
        """Ask everybody; what several tell under one name stands together."""
        return joined(family for source in list(self._sources) for family in source())


def joined(families: Iterable[Family]) -> list[Family]:
    """Put the samples of each name together, as the format demands."""
    found: dict[str, Family] = {}
    for family in families:
        before: tuple[Sample, ...] = ()
        if family.name in found:
            before = found[family.name].samples
        found[family.name] = replace(family, samples=before + family.samples)
    return list(found.values())


def named(families: Iterable[Family], vault: str) -> list[Family]:
    """Let every sample say which vault it is of."""
    return [
        replace(
            family,
            samples=tuple(
                replace(each, labels=(("vault", vault), *each.labels)) for each in family.samples
            ),
        )
        for family in families
    ]
