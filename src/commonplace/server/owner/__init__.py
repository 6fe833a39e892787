"""The process that owns a vault: its socket, its handshake, its HTTP apps.

Every other process on the vault connects here. Imports the protocols through `composition` only.
"""
