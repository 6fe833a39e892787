"""The MCP server: the toolbox and the notes, on the SDK's low-level `Server`, in both eras.

One `Server` answers any number of connections at once, of either protocol era and over any
transport. Tool definitions leave as they are written in their files: the SDK would reorder keys
for 2025-era clients, so they are put into the finished answer. The outermost middleware lets no
exception out that is not meant for the client; the SDK would send its text to a 2025-era one.
"""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server import NotificationOptions, Server
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from pydantic import ValidationError

from commonplace.server.mcp import elicitation
from commonplace.server.mcp.actors import actor_of
from commonplace.server.mcp.direct.answers import call_result
from commonplace.server.mcp.direct.failures import failure_of
from commonplace.server.mcp.direct.instructions import instructions
from commonplace.server.mcp.direct.introduction import CACHE_MS, NAME, TITLE
from commonplace.server.mcp.feed import Feed, feeding
from commonplace.server.mcp.icon import icon, with_icon
from commonplace.server.mcp.ports import Notes
from commonplace.server.mcp.resources import Resources
from commonplace.server.mcp.tool_calls import ToolCalls
from commonplace.tools.table import Call, Toolbox, UnknownTool
from commonplace.vault.permissions.requests import Unanswered

Context = ServerRequestContext[Feed, Any]


class NoteServer(Server[Feed]):
    """The SDK's server, but a 2025-era client learns that the list of notes may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Say what a handshake announces."""
        told = notification_options or NotificationOptions(resources_changed=True)
        options = super().create_initialization_options(told, experimental_capabilities, extensions)
        return options.model_copy(update={"icons": [icon()]})


def build(
    tools: Toolbox | ToolCalls,
    notes: Notes,
    *,
    version: str,
    name: str = NAME,
    state_keys: Sequence[bytes] | None = None,
) -> NoteServer:
    """Make the server. More handlers may be added to it, or put in the place of these.

    `state_keys` seal what a client carries from one round of a call to the next; without them a
    key is made up that no other process, and no later one, can read.
    """
    calls = tools if isinstance(tools, ToolCalls) else ToolCalls(tools)
    handlers, resources = Tools(calls), Resources(notes)
    hint = CacheHint(ttl_ms=CACHE_MS, scope="private")
    server = NoteServer(
        name,
        version=version,
        title=TITLE,
        instructions=instructions(calls.names),
        lifespan=feeding(notes),
        cache_hints={"tools/list": hint, "resources/templates/list": hint},
        get_tool_input_schema=calls.input_schema,
        on_list_tools=handlers.list,
        on_call_tool=handlers.call,
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
    server.middleware.append(handlers.word_for_word)
    server.middleware.append(elicitation.titled)
    server.middleware.append(with_icon)
    return server


class Tools:
    """The request handlers for tools."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

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
        published = [each.published for each in await self._calls.definitions(actor_of(ctx).scope)]
        return {**result, "tools": [*published, *result["tools"]]}

    async def call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Run a tool; what it asks a person may be the answer."""
        reply = elicitation.reply_of(params)
        call = Call(actor_of(ctx), ctx.session.report_progress, elicitation.ask_of(ctx), reply)
        try:
            answer = await self._calls.call(params.name, params.arguments or {}, call)
        except Unanswered as unanswered:
            return elicitation.question_result(unanswered)
        except UnknownTool as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return types.CallToolResult.model_validate(call_result(answer))


async def contain(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Turn every failure into one that a client may see."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 (each becomes what a client may see of it)
        raise MCPError(*failure_of(error, ctx.method)) from None


async def _initialized(ctx: Context, _: types.NotificationParams) -> None:
    ctx.lifespan_context.subscriber(ctx)


async def _listen(
    ctx: Context, params: types.SubscriptionsListenRequestParams
) -> types.SubscriptionsListenResult:
    return await ctx.lifespan_context.listen(ctx, params)


def _sealing(keys: Sequence[bytes] | None) -> RequestStateSecurity:
    return RequestStateSecurity(keys=keys) if keys else RequestStateSecurity.ephemeral()
