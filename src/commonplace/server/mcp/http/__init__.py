"""MCP over HTTP beyond direct answers: the SDK's application, and how many sessions it keeps.

Nothing here loads the SDK before a request needs it, `sdk_app` apart, which is loaded then.
"""
