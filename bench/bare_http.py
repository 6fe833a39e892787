"""The same peer as `bench.bare`, over HTTP: prints its port and serves until it is ended."""

import socket
import sys

import uvicorn
from mcp.server import Server

from bench.bare_tools import call_tool, list_tools

server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
listener = socket.create_server(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
config = uvicorn.Config(server.streamable_http_app(), log_config=None, access_log=False)
uvicorn.Server(config).run([listener])
sys.exit()
