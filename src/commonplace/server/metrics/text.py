"""Prometheus' text format, version 0.0.4: families of samples, as lines."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from commonplace.vault.durations import BOUNDS, Durations

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

MetricKind = Literal["counter", "gauge", "histogram"]
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One number; `suffix` belongs to its name."""

    value: float
    labels: Labels = ()
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Family:
    """All samples of one name."""

    name: str
    kind: MetricKind
    help: str
    samples: tuple[Sample, ...]


def gauge(name: str, help: str, value: float, **labels: str) -> Family:  # noqa: A002 (its name)
    """Make a family of one number that goes up and down."""
    return Family(name, "gauge", help, (Sample(value, tuple(labels.items())),))


def histogram(name: str, help: str, label: str, found: Mapping[str, Durations]) -> Family:  # noqa: A002
    """Make a family of durations, by what a label says."""
    samples: list[Sample] = []
    for word, durations in found.items():
        own = ((label, word),)
        counts = durations.up_to()
        bounds = [*(f"{bound:g}" for bound in BOUNDS), "+Inf"]
        samples += [
            Sample(count, (*own, ("le", bound)), "_bucket")
            for bound, count in zip(bounds, counts, strict=True)
        ]
        samples += [Sample(durations.seconds, own, "_sum"), Sample(counts[-1], own, "_count")]
    return Family(name, "histogram", help, tuple(samples))


def render(families: Iterable[Family]) -> str:
    """Write families as Prometheus reads them."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterable[str]:
    yield f"# HELP {family.name} {_escaped(family.help)}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        shown = ",".join(f'{name}="{_escaped(value, quote=True)}"' for name, value in sample.labels)
        name = f"{family.name}{sample.suffix}"
        yield f"{name}{{{shown}}} {sample.value:.17g}" if shown else f"{name} {sample.value:.17g}"


def _escaped(text: str, *, quote: bool = False) -> str:
    text = text.replace("\\", r"\\").replace("\n", r"\n")
    return text.replace('"', r"\"") if quote else text
