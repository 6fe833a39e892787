"""Notes made to keep a server busy: the event loop goes on, and every answer is bounded.

The watch over the event loop (`tests/conftest.py`) fails a test here that holds it.
"""

import json

import pytest

from commonplace.core.render import listings, remarks
from commonplace.tools import graph
from tests.tools.conftest import OpenDesk

pytestmark = pytest.mark.anyio

ANSWER_MAX = 8_000_000


async def test_grep_with_much_context_over_many_lines(desk: OpenDesk) -> None:
    many = {f"n{n}.md": "word\n" * 3_000 for n in range(20)}
    opened = await desk({"long.md": "x\n" * 300_000, **many})
    everything = {"pattern": ".", "output_mode": "content", "head_limit": 0}
    for context in (0, 20, 1000):
        found = await opened.call("grep", **everything, **{"-C": context})
        assert len(found) < ANSWER_MAX
        assert "[Showing results with pagination = limit: " in found
    counts = await opened.call("grep", pattern=".", output_mode="count")
    assert "long.md:300000" in counts
    found = json.loads(await opened.call("text_search", query="regex:."))
    assert found["truncated"]


async def test_read_with_very_many_suggestions(desk: OpenDesk) -> None:
    opened = await desk({"a.md": "one {++two++} three\n" * 15_000})
    text = await opened.call("read", file_path="a.md", limit=10)
    listed = text[text.index("[Pending suggestions]") :].splitlines()
    assert listed[1] == "  L1: {++two++}"
    assert len(listed) == remarks.PENDING_MAX + 2
    assert listed[-1] == f"  … and {15_000 - remarks.PENDING_MAX:,} more"


async def test_a_node_with_very_many_tags_and_links(desk: OpenDesk) -> None:
    tags = " ".join(f"#t{n}" for n in range(50_000))
    links = " ".join(f"[[no{n}]]" for n in range(50_000))
    opened = await desk({"a.md": f"{tags}\n\n{links}\n\n[[b]]\n", "b.md": "[[a]]\n"})
    node = json.loads(await opened.call("get_node", id="a.md"))
    assert node["tags"][:2] == ["t0", "t1"]
    assert len(node["tags"]) == graph.TAGS_SHOWN_MAX
    assert node["truncated"] == ["tags"]
    assert len(node["_warnings"]) < 100
    listed = await opened.call("search_by_tags", tags=["t0"])
    assert len(listed) < ANSWER_MAX
    text = await opened.call("get_links", file_path="a.md")
    assert f"- (and {50_000 - listings.LINKS_MAX:,} more)" in text
    assert "- b.md" in text
