"""Brings the index up to date for many notes at once, in a process of its own with workers.

`builder` is the process as the owner sees it, `follower` takes in what it tells, and `process` is
what runs in it. Imports the index's reader, writer and mirror, never the indexer.
"""
