"""Assistants on a real transport each: a process over its pipes, or HTTP in either era."""

from typing import Any, Literal

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.live.product import Product


def over_stdio(product: Product, name: str) -> Client:
    command, *rest = product.command("mcp")
    server = StdioServerParameters(command=command, args=rest, env=product.env)
    return Client(server, client_info=_named(name))


def over_http(product: Product, name: str, era: Literal["auto", "legacy"] = "auto") -> Client:
    return Client(f"{product.http}/mcp", mode=era, client_info=_named(name))


async def call(client: Client, tool: str, **arguments: Any) -> tuple[str, bool]:
    """Call a tool; tell what it said and whether it worked."""
    result = await client.call_tool(tool, arguments)
    block, *_ = result.content
    assert isinstance(block, types.TextContent)
    return block.text, not result.is_error


def _named(name: str) -> types.Implementation:
    return types.Implementation(name=name, version="1")
