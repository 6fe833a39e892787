"""Attachments as values: the types of files, and the parts of one that a client asks for.

Imports nothing of ours but `errors`.
"""
