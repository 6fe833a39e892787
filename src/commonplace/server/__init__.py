"""The protocols: HTTP, MCP and Yjs, on sockets and pipes. It decodes, calls, and encodes.

Only this package imports `mcp` or `starlette`. `composition` wires a vault to every protocol, and
`app` is the HTTP application.
"""
