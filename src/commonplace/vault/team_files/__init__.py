"""The files of a team's vault in PostgreSQL: every byte of each, and copies of them in a folder.

Contents are kept by their hash. Whoever holds the vault's lease writes here, and nobody else.
Imports files, log and lease.
"""
