"""The tools of one server: listed and called, each call remembered for people to see."""

import pytest

from commonplace.server.api.assistants import Visits
from commonplace.server.mcp.late_vault import LateToolbox
from commonplace.server.mcp.tool_calls import ToolCalls
from commonplace.server.metrics.counts import Counters
from commonplace.tools.definition import definition
from commonplace.tools.table import Actor, Call, Toolbox, UnknownTool
from tests.server.small_vault import Shelf, toolbox

pytestmark = pytest.mark.anyio
CALL = Call(Actor("1", "Ada"))


async def _filled() -> Toolbox:
    return toolbox(Shelf())


@pytest.fixture(params=["there", "late"])
def tools(request: pytest.FixtureRequest) -> Toolbox | LateToolbox:
    names = ["read", "glob", "edit"]
    return LateToolbox(names, _filled) if request.param == "late" else toolbox(Shelf())


async def test_what_is_on_offer_is_told_before_it_is_there(tools: Toolbox | LateToolbox) -> None:
    calls = ToolCalls(tools)
    assert [*calls.names] == ["read", "glob", "edit"]
    assert calls.reading == {"read", "glob"}
    assert calls.input_schema("read") == definition("read").input_schema
    assert calls.input_schema("grep") is None  # known, but not on offer
    assert calls.input_schema("none") is None
    assert [each.name for each in await calls.definitions("read")] == ["read", "glob"]


async def test_a_call_is_remembered_and_counted(tools: Toolbox | LateToolbox) -> None:
    visits, counts = Visits(), Counters()
    calls = ToolCalls(tools, visits, counts)
    assert not (await calls.call("read", {"file_path": "Garden/Bees.md"}, CALL)).is_error
    assert (await calls.call("read", {"file_path": "none.md"}, CALL)).is_error
    (visit,) = visits.listed()
    assert visit["name"] == "Ada"
    (_, counted, _) = counts.families()
    assert [(dict(s.labels)["outcome"], s.value) for s in counted.samples] == [
        ("error", 1),
        ("ok", 1),
    ]


async def test_a_tool_that_is_not_there_is_not_counted(tools: Toolbox | LateToolbox) -> None:
    counts = Counters()
    with pytest.raises(UnknownTool):
        await ToolCalls(tools, counts=counts).call("rm", {}, CALL)
    assert [family.samples for family in counts.families()][1] == ()
