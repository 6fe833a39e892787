"""The index (`index.db` and the corpus): what notes hold, so that questions need not read them.

All of it is derived from the files and may be deleted at any time. One writer at a time; the
mirror in memory changes on the event loop alone. Imports files and settings.
"""
