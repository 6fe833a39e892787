"""The peer: the smallest MCP server there is, whose `read` opens a file. Run with a folder."""

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from bench.bare_tools import call_tool, list_tools


async def main() -> None:
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
