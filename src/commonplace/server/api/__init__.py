"""JSON for the page and the command line under `/api`, and the page itself.

A route decodes, asks the vault, and encodes; people come here, assistants do not. Imports access.
"""
