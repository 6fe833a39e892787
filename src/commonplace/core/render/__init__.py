"""The texts that `read`, `glob`, `grep` and `get_links` answer with.

Assistants parse these with their eyes, so every word here is part of the contract of the tools. All
that is from notes or callers, but for the lines of a note, is a `quotation`: it stays in its line,
so that it never looks like a section of ours. Imports `core/text`.
"""
