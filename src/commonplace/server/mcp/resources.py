"""Notes as MCP resources: list them by pages, read them, follow them, complete their paths."""

import base64
import binascii
from datetime import UTC, datetime
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from commonplace.errors import BadPath, NotFound
from commonplace.server.mcp.feed import Feed
from commonplace.server.mcp.ports import ListedNote, Notes
from commonplace.server.mcp.uris import TEMPLATE, note_path, note_uri

PAGE_MAX = 500
COMPLETIONS_MAX = 100
MARKDOWN = "text/markdown"
NOT_FOUND_2025 = -32002

Context = ServerRequestContext[Feed, Any]


class Resources:
    """The request handlers for resources and completion."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def list(
        self, _: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer one page of all notes."""
        after = _after(params.cursor) if params and params.cursor is not None else None
        found, rest = await self._notes.page(after, PAGE_MAX)
        return types.ListResourcesResult(
            resources=[_resource(note) for note in found],
            next_cursor=None if rest is None else _cursor(rest),
        )

    async def templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer the one template there is."""
        template = types.ResourceTemplate(
            name="note",
            title="A note",
            uri_template=TEMPLATE,
            description="A note of the knowledge base, by its path.",
            mime_type=MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer a note's text."""
        try:
            text = await self._notes.text(note_path(params.uri))
        except (NotFound, BadPath) as error:
            modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
            code = types.INVALID_PARAMS if modern else NOT_FOUND_2025
            raise MCPError(code, str(error), {"uri": params.uri}) from None
        contents = types.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Begin to tell a 2025-era session when a resource changes."""
        ctx.lifespan_context.subscriber(ctx).want(params.uri)
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Tell it no more."""
        ctx.lifespan_context.subscriber(ctx).ignore(params.uri)
        return types.EmptyResult()

    async def complete(
        self, _: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Answer the paths that the beginning of one may become."""
        ref = params.ref
        if not isinstance(ref, types.ResourceTemplateReference) or ref.uri != TEMPLATE:
            raise MCPError(types.INVALID_PARAMS, f"Only {TEMPLATE} can be completed.")
        if params.argument.name != "path":
            raise MCPError(types.INVALID_PARAMS, f"{TEMPLATE} takes `path` and nothing else.")
        found = await self._notes.complete(params.argument.value, COMPLETIONS_MAX + 1)
        return types.CompleteResult(
            completion=types.Completion(
                values=[*found[:COMPLETIONS_MAX]], has_more=len(found) > COMPLETIONS_MAX
            )
        )


def _resource(note: ListedNote) -> types.Resource:
    modified = datetime.fromtimestamp(note.modified, UTC).isoformat(timespec="seconds")
    return types.Resource(
        name=note.path,
        title=note.title,
        uri=note_uri(note.path),
        mime_type=MARKDOWN,
        size=note.size,
        annotations=types.Annotations(last_modified=modified.replace("+00:00", "Z")),
    )


def _cursor(after: str) -> str:
    return base64.urlsafe_b64encode(after.encode()).decode()


def _after(cursor: str) -> str:
    try:
        return base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        text = "Unknown cursor. Start again without one."
        raise MCPError(types.INVALID_PARAMS, text) from None
