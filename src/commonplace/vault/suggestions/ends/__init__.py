"""The ends of suggestions that nobody decided through us: found by comparing, and put on record.

Each end is on record once. Stands on the ledger and the index; knows nothing of tools or people's
views.
"""
