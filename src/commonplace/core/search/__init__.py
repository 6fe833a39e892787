"""The arithmetic of search: passages, token ids, two rankings made one, what to show of a hit.

Imports frontmatter, paths and text of the core.
"""
