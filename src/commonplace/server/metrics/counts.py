"""What happened since the process began, counted by words: requests, calls of tools, edits."""

from collections import Counter
from collections.abc import Iterator

from commonplace.server.metrics.text import Family, Sample

_KINDS = (
    ("/api/", "api"),
    ("/assets/", "page"),
    ("/sync/", "sync"),
    ("/d/", "sync"),
    ("/doc/", "sync"),
)
_KNOWN = {"/": "page", "/diagrams": "page", "/mcp": "mcp"} | dict.fromkeys(
    ("/healthz", "/readyz", "/metrics"), "probe"
)
_AUTHORS = frozenset(("person", "assistant"))


class Counters:
    """The counters of one owner; whatever serves its vault adds to them."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._edits: Counter[str] = Counter()

    def add_request(self, path: str, status: int) -> None:
        """Count an answer; of the path only its kind is kept."""
        self._requests[kind_of(path), status] += 1

    def add_call(self, tool: str, *, failed: bool) -> None:
        """Count a call of a tool that exists."""
        self._calls[tool, "error" if failed else "ok"] += 1

    def add_edit(self, actor: str) -> None:
        """Count a change of a note that was saved; of the actor only its kind is kept."""
        kind = actor.partition(":")[0]
        self._edits[kind if kind in _AUTHORS else "program"] += 1

    def families(self) -> Iterator[Family]:
        """Return everything that was counted."""
        yield Family(
            "commonplace_requests_total",
            "counter",
            "HTTP requests answered, and sockets opened (101).",
            tuple(
                Sample(count, (("kind", kind), ("code", str(status))))
                for (kind, status), count in sorted(self._requests.items())
            ),
        )
        yield Family(
            "commonplace_tool_calls_total",
            "counter",
            "Calls of tools, over HTTP and standard input alike.",
            tuple(
                Sample(count, (("tool", tool), ("outcome", outcome)))
                for (tool, outcome), count in sorted(self._calls.items())
            ),
        )
        yield Family(
            "commonplace_edits_total",
            "counter",
            "Saved changes of live notes, by who made them.",
            tuple(Sample(count, (("by", kind),)) for kind, count in sorted(self._edits.items())),
        )


def kind_of(path: str) -> str:
    """Say what kind of thing is asked for: one of a few words."""
    if known := _KNOWN.get(path):
        return known
    return next((kind for start, kind in _KINDS if path.startswith(start)), "other")
