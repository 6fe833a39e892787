"""The state of a vault and all its I/O; each package owns one outside thing.

Imports point down the list of packages in ARCHITECTURE.md. `assembly` wires the parts together.
"""
