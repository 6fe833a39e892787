"""The peer: the smallest MCP server there is, whose `read` opens a file. Run with a folder."""

import sys
from pathlib import Path

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

SCHEMA = {
    "type": "object",
    "properties": {"file_path": {"type": "string"}},
    "required": ["file_path"],
}
FOLDER = Path(sys.argv[1])


async def list_tools(ctx: object, params: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(name="read", input_schema=SCHEMA)])


async def call_tool(ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = (FOLDER / str((params.arguments or {})["file_path"])).read_text(encoding="utf-8")
    lines = "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(text.splitlines(), 1))
    return types.CallToolResult(content=[types.TextContent(type="text", text=lines)])


async def main() -> None:
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
