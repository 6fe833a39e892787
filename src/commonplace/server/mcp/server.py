"""The MCP server: the toolbox and the notes, on the SDK's low-level `Server`, in both eras.

One `Server` answers any number of connections at once, of either protocol era and over any
transport. Tool definitions leave as they are written in their files: the SDK would reorder keys
for 2025-era clients, so they are put into the finished answer. The outermost middleware lets no
exception out that is not meant for the client; the SDK would send its text to a 2025-era one.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import NotificationOptions, Server
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from pydantic import ValidationError

from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.server import asking
from commonplace.server.actors import actor_of
from commonplace.server.feed import Feed, feeding
from commonplace.server.instructions import instructions
from commonplace.server.late import LateToolbox
from commonplace.server.notes import Notes
from commonplace.server.resources import Resources
from commonplace.server.visits import Visits
from commonplace.tools.table import Answer, Call, Toolbox, UnknownTool, definition
from commonplace.vault.wishes import Unanswered

CACHE_MS = 60_000

Context = ServerRequestContext[Feed, Any]

logger = logging.getLogger(__name__)


class NoteServer(Server[Feed]):
    """The SDK's server, but a 2025-era client learns that the list of notes may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Say what a handshake announces."""
        options = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def build(
    toolbox: Toolbox | LateToolbox,
    notes: Notes,
    *,
    version: str,
    name: str = "commonplace",
    state_keys: Sequence[bytes] | None = None,
    visits: Visits | None = None,
) -> NoteServer:
    """Make the server. More handlers may be added to it, or put in the place of these.

    `state_keys` seal what a client carries from one round of a call to the next; without them a
    key is made up that no other process, and no later one, can read.
    """
    tools, resources = Tools(toolbox, visits), Resources(notes)
    hint = CacheHint(ttl_ms=CACHE_MS, scope="private")
    server = NoteServer(
        name,
        version=version,
        title="Commonplace",
        instructions=instructions(tools.names),
        lifespan=feeding(notes),
        cache_hints={"tools/list": hint, "resources/templates/list": hint},
        get_tool_input_schema=tools.input_schema,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_subscribe_resource=resources.subscribe,
        on_unsubscribe_resource=resources.unsubscribe,
        on_subscriptions_listen=_listen,
        on_completion=resources.complete,
    )
    started = "notifications/initialized"
    server.add_notification_handler(started, types.NotificationParams, _initialized)
    server.middleware.insert(0, contain)
    server.middleware.append(RequestStateBoundary(_sealing(state_keys), default_audience=name))
    server.middleware.append(tools.word_for_word)
    return server


class Tools:
    """The request handlers for tools."""

    def __init__(self, toolbox: Toolbox | LateToolbox, visits: Visits | None) -> None:
        self._toolbox = toolbox
        self._visits = visits or Visits()

    @property
    def names(self) -> Sequence[str]:
        """The tools on offer, as far as can be told before they are there."""
        if isinstance(self._toolbox, LateToolbox):
            return self._toolbox.names
        return [tool.name for tool in self._toolbox.tools]

    def input_schema(self, name: str) -> Mapping[str, object] | None:
        """Look up the schema of a tool's arguments."""
        if isinstance(self._toolbox, LateToolbox):
            return definition(name).input_schema if name in self._toolbox.names else None
        return self._toolbox.input_schema(name)

    async def _opened(self) -> Toolbox:
        return (
            await self._toolbox.opened()
            if isinstance(self._toolbox, LateToolbox)
            else self._toolbox
        )

    async def list(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer no tools: `word_for_word` puts them in."""
        if params and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor. All tools fit on one page.")
        return types.ListToolsResult(tools=[])

    async def word_for_word(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Put the definitions, untouched, before whatever tools the handler listed."""
        result = await call_next(ctx)
        if ctx.method != "tools/list" or not isinstance(result, dict):
            return result
        toolbox = await self._opened()
        published = [each.published for each in toolbox.definitions(actor_of(ctx).scope)]
        return {**result, "tools": [*published, *result["tools"]]}

    async def call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a tool; what it asks a person may be the answer."""
        reply = asking.reply_of(params)
        call = Call(actor_of(ctx), ctx.session.report_progress, asking.ask_of(ctx), reply)
        try:
            toolbox = await self._opened()
            self._visits.note(call.actor.name, params.name, params.arguments or {})
            answer = await toolbox.call(params.name, params.arguments or {}, call)
        except Unanswered as unanswered:
            return asking.question_result(unanswered)
        except UnknownTool as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return _result(answer)


async def contain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Turn every failure into one that a client may see."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except CommonplaceError as error:
        fault = isinstance(error, BadArgument | NotFound)
        code = types.INVALID_PARAMS if fault else types.INTERNAL_ERROR
        raise MCPError(code, str(error)) from None
    except Exception:
        logger.exception("request %s failed", ctx.method)
        text = "Internal error; the server's log has the details."
        raise MCPError(types.INTERNAL_ERROR, text) from None


async def _initialized(ctx: Context, _: types.NotificationParams) -> None:
    ctx.lifespan_context.follower(ctx)


async def _listen(
    ctx: Context, params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    return await ctx.lifespan_context.listen(ctx, params)


def _result(answer: Answer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        is_error=answer.is_error,
        _meta=dict(answer.meta) if answer.meta else None,
    )


def _sealing(keys: Sequence[bytes] | None) -> RequestStateSecurity:
    return RequestStateSecurity(keys=keys) if keys else RequestStateSecurity.ephemeral()
