"""PostgreSQL, for a team's server: connections and numbered migrations.

Loads the driver, which is an optional extra, only when a connection is asked for.
"""
