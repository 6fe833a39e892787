"""The CRDT engine, behind replicas of texts and of maps: the only package that knows pycrdt.

Its surprises end here (`replica`). A transaction has no way back: whoever meets an `EngineFault`
must throw the replica away. Imports nothing of the vault.
"""
