"""Agents of others at work for the person: programs that speak the Agent Client Protocol.

A conversation runs one agent as a child process. The agent never works in the vault: it has our own
tools over MCP, with an access token of its own, and a working copy (`vault.checkout`) in which
whatever it saves becomes suggestions. The protocol's package ends at `client` and `requests`.
"""
