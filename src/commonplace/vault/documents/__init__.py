"""Live documents: the text of a note while people, assistants and programs edit it.

The order of every edit is scan, apply, commit, acknowledge, broadcast; there is no `await` inside a
transaction. `engine` alone imports pycrdt; `file` makes the file one more peer. Imports files,
log and index.
"""
