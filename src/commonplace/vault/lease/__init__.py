"""Which node owns a vault of a team's server: a row with a fence number that only grows.

Only the database's clock says whether a lease holds; whoever writes asks in the same transaction.
Imports `postgres`.
"""
