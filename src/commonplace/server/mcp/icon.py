"""The picture by which a client shows who is speaking: PNG in a data URI, so nothing is fetched.

Clients that start a server as a program accept no other form. In the 2026 era every answer names
the server; the picture goes with the first alone, since it would be longer than most answers.
"""

from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from commonplace.server.mcp.direct import introduction


def icon() -> types.Icon:
    """Return the icon."""
    return types.Icon.model_validate(introduction.icon())


async def with_icon(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Show the icon where a client asks what this server is."""
    result = await call_next(ctx)
    if ctx.method != "server/discover" or not isinstance(result, dict):
        return result
    info = {**result["_meta"][types.SERVER_INFO_META_KEY], "icons": [introduction.icon()]}
    return {**result, "_meta": {**result["_meta"], types.SERVER_INFO_META_KEY: info}}
