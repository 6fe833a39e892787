"""Texts and what is done to them: edits, line endings, words, invisible characters, diffs.

The bottom of the core: imports nothing else of it.
"""
