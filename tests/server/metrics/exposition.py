"""A strict reader of Prometheus' text format: what it lets through, Prometheus reads.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

import re
from dataclasses import dataclass, field

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
_SAMPLE = re.compile(rf"({_NAME})(?:\{{({_LABEL}(?:,{_LABEL})*)\}})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
_HELP = re.compile(rf"# HELP ({_NAME}) (.+)")
_TYPE = re.compile(rf"# TYPE ({_NAME}) (counter|gauge|histogram)")
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}


@dataclass
class Exposition:
    """The samples of an answer, each under its name and labels as written."""

    kinds: dict[str, str] = field(default_factory=dict[str, str])
    samples: dict[str, float] = field(default_factory=dict[str, float])

    def __getitem__(self, name: str) -> float:
        return self.samples[name]

    def total(self, start: str) -> float:
        """Add up all samples whose name and labels begin so."""
        return sum(value for name, value in self.samples.items() if name.startswith(start))


def parse(text: str) -> Exposition:
    """Read an answer; fails wherever it is not exactly as it should be."""
    assert text.endswith("\n")
    found, family = Exposition(), ""
    lines = iter(text.splitlines())
    for line in lines:
        if help_line := _HELP.fullmatch(line):
            family = help_line[1]
            type_line = _TYPE.fullmatch(next(lines))
            assert type_line, line
            assert type_line[1] == family
            assert family not in found.kinds, f"{family} stands twice"
            found.kinds[family] = type_line[2]
            assert (type_line[2] == "counter") == family.endswith("_total")
            continue
        sample = _SAMPLE.fullmatch(line)
        assert sample, line
        suffixes = _SUFFIXES.get(found.kinds[family], ("",))
        assert sample[1] in [family + suffix for suffix in suffixes], line
        name = line.rpartition(" ")[0]
        assert name not in found.samples, f"{name} stands twice"
        found.samples[name] = float(sample[3])
    _check_histograms(found)
    return found


def _check_histograms(found: Exposition) -> None:
    for family in [name for name, kind in found.kinds.items() if kind == "histogram"]:
        rows: dict[str, list[tuple[float, float]]] = {}
        for name, value in found.samples.items():
            if name.startswith(f"{family}_bucket{{"):
                rest, _, bound = name[:-2].rpartition(',le="')
                rows.setdefault(rest.partition("{")[2], []).append((float(bound), value))
        for labels, buckets in rows.items():
            assert buckets == sorted(buckets)
            assert [count for _, count in buckets] == sorted(count for _, count in buckets)
            assert buckets[-1] == (float("inf"), found[f"{family}_count{{{labels}}}"])
            assert found[f"{family}_sum{{{labels}}}"] >= 0
