"""The one tool of the peers: a `read` that opens a file. The folder is the first argument."""

import sys
from pathlib import Path

import mcp_types as types

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
