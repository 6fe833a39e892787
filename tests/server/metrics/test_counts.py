"""What is counted, by words of which there are few."""

import pytest

from commonplace.server.metrics.counts import Counters, kind_of
from commonplace.server.metrics.text import Labels


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "page"),
        ("/diagrams", "page"),
        ("/assets/a.js", "page"),
        ("/mcp", "mcp"),
        ("/api/note", "api"),
        ("/sync/abc", "sync"),
        ("/d/abc", "sync"),
        ("/doc/new", "sync"),
        ("/readyz", "probe"),
        ("/metrics", "probe"),
        ("/mcp/x", "other"),
        ("/etc/passwd", "other"),
        ("", "other"),
    ],
)
def test_a_path_is_of_one_of_a_few_kinds(path: str, kind: str) -> None:
    assert kind_of(path) == kind


def counted(counters: Counters) -> dict[str, dict[Labels, float]]:
    return {
        family.name: {sample.labels: sample.value for sample in family.samples}
        for family in counters.families()
    }


def test_everything_is_counted_by_its_kind_and_no_name_is_kept() -> None:
    counters = Counters()
    assert set(map(len, counted(counters).values())) == {0}
    for path, status in (("/api/a", 200), ("/api/b", 200), ("/api/a", 404)):
        counters.add_request(path, status)
    counters.add_call("read", failed=False)
    counters.add_call("read", failed=True)
    for actor in ("person:Ada", "person:Ben", "assistant:x", "file", "", "Person:Eve"):
        counters.add_edit(actor)
    assert counted(counters) == {
        "commonplace_requests_total": {
            (("kind", "api"), ("code", "200")): 2,
            (("kind", "api"), ("code", "404")): 1,
        },
        "commonplace_tool_calls_total": {
            (("tool", "read"), ("outcome", "error")): 1,
            (("tool", "read"), ("outcome", "ok")): 1,
        },
        "commonplace_edits_total": {
            (("by", "assistant"),): 1,
            (("by", "person"),): 2,
            (("by", "program"),): 3,
        },
    }
