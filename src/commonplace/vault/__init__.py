"""The state of a vault and all its I/O; each package owns one outside thing.

Imports point down: nodes, vault, folders, notes, suggestions, search, documents and embeddings,
index and permissions, files and log, settings. `assembly` wires the parts together.
"""
