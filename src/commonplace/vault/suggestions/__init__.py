"""Suggestions in notes: made by assistants, listed, decided by people, and remembered.

Only people decide, never an MCP actor. The ledger records the end of every suggestion. Imports
documents, index and permissions.
"""
