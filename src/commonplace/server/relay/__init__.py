"""The front end of a vault that another process owns: MCP on stdio, HTTP on TCP.

It imports neither `mcp` nor `starlette`, so that it starts fast; it goes on when the owner changes.
"""
