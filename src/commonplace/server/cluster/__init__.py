"""A node of a team's server: the vault's owner under a lease, or a connection to the owner.

Of several nodes one owns a vault, and whoever cannot tell who that is does not write. Imports
access, owner and relay, and the vault's lease, database and files of a team.
"""
