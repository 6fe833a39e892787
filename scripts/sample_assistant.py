"""A sample assistant that works in a new copy of the demo, through MCP like any other.

Run once by `make run`: it leaves a few suggestions, a comment and a question, so that reviewing can
be tried before an assistant of one's own is connected.

    python scripts/sample_assistant.py VAULT
"""

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Implementation

NAME = "Sample assistant"
NOTE = "Sandbox/Garden plan.md"
SECONDS_MAX = 60.0

_PRUNED = (
    "The old apple tree should be pruned this winter, and cut down only if it bears no fruit next"
    " year."
)
_EDITS = (
    ("We sow peas in the first week of March", "We sow sugar peas in the second week of March"),
    ("The old apple tree should be cut down this winter.", _PRUNED),
    ("- Beans by the fence\n", "- Beans and nasturtiums by the fence\n- Garlic under the roses\n"),
)
# Tools suggest text and do not comment on it; a comment is written into the file, as an editor
# with a plugin for CriticMarkup does.
_COMMENTED = "- Herbs near the kitchen"
_COMMENT = ' {>>{"author":"Sample assistant"}@@Is there still room for thyme?<<}'
_QUESTION = {
    "path": "Sandbox/Seeds to buy.md",
    "content": "# Seeds to buy\n\n- Sugar peas\n- Nasturtiums\n- Garlic, for [[Garden plan]]\n",
}


async def visit(vault: Path) -> None:
    """Read the note, suggest changes to it, and ask to create another."""
    note = vault / NOTE
    text = note.read_text(encoding="utf-8")
    note.write_text(text.replace(_COMMENTED, _COMMENTED + _COMMENT), encoding="utf-8")
    command = ["-m", "commonplace", "mcp", str(vault)]
    server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    about = Implementation(name=NAME, version="1")
    async with Client(stdio_client(server), client_info=about) as client:
        await _call(client, "read", file_path=NOTE)
        for old, new in _EDITS:
            await _call(client, "edit", file_path=NOTE, old_string=old, new_string=new)
        # Answered with an error that says so: it waits for a person.
        await client.call_tool("create_note", _QUESTION)


async def _call(client: Client, tool: str, **arguments: str) -> None:
    answer = await client.call_tool(tool, arguments)
    if answer.is_error:
        raise SystemExit(f"{tool} did not work: {answer.content}")


def main() -> None:
    """Visit the vault that the command line names."""
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / NOTE).is_file():
        raise SystemExit(f"Name a copy of the demo vault, which has {NOTE} in it.")
    asyncio.run(asyncio.wait_for(visit(Path(sys.argv[1])), SECONDS_MAX))


if __name__ == "__main__":
    main()
