"""The tools of one server: listed and called here, whichever way a request came."""

from collections.abc import Mapping, Sequence

from commonplace.core.scopes import Scope
from commonplace.server.api.assistants import Visits
from commonplace.server.mcp.late_vault import LateToolbox
from commonplace.server.metrics.counts import Counters
from commonplace.tools.answer import Answer
from commonplace.tools.definition import Definition, definition
from commonplace.tools.families import WRITING_TOOLS
from commonplace.tools.table import Call, Toolbox


class ToolCalls:
    """Calls of tools, each remembered as a visit for people to see."""

    def __init__(
        self,
        toolbox: Toolbox | LateToolbox,
        visits: Visits | None = None,
        counts: Counters | None = None,
    ) -> None:
        self._toolbox = toolbox
        self._visits = visits or Visits()
        self._counts = counts or Counters()

    @property
    def names(self) -> Sequence[str]:
        """The tools on offer, as far as can be told before they are there."""
        if isinstance(self._toolbox, LateToolbox):
            return self._toolbox.names
        return [tool.name for tool in self._toolbox.tools]

    @property
    def reading(self) -> frozenset[str]:
        """Those among them that only read, as far as can be told before they are there."""
        if isinstance(self._toolbox, LateToolbox):
            return frozenset(self._toolbox.names) - WRITING_TOOLS
        return frozenset(tool.name for tool in self._toolbox.tools if not tool.writes)

    async def definitions(self, scope: Scope) -> Sequence[Definition]:
        """List what is published to who may go that far; what the vault cannot do is left out."""
        return (await self.opened()).definitions(scope)

    def input_schema(self, name: str) -> Mapping[str, object] | None:
        """Look up the schema of a tool's arguments; None when it is not on offer."""
        return definition(name).input_schema if name in self.names else None

    async def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Answer:
        """Run a tool."""
        toolbox = await self.opened()
        self._visits.note(call.actor.name, name, arguments)
        answer = await toolbox.call(name, arguments, call)
        self._counts.add_call(name, failed=answer.is_error)
        return answer

    async def opened(self) -> Toolbox:
        """Return the tools once they are there."""
        if isinstance(self._toolbox, LateToolbox):
            return await self._toolbox.opened()
        return self._toolbox
