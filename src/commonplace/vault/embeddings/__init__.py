"""Search by meaning: passages of notes as vectors, from the local model or from a server.

Vectors are derived and may be deleted. The local model runs in a process of its own. Imports index
and settings.
"""
