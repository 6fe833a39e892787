"""A node of a team's server: the vault's owner under a lease, or a connection to the owner."""
