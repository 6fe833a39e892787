"""Requests that need nothing of the SDK: told from all others, and answered without it.

Imports neither `mcp` nor pydantic; what a relay needs of it imports no event loop either.
"""
