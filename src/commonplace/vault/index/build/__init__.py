"""Brings the index up to date for many notes at once, in a process of its own with workers.

`builder` is the process as the owner sees it; `process` is what runs in it. Imports the index's
reader and writer, never the indexer.
"""
