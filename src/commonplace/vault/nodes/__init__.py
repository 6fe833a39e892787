"""The vault as a store of linked nodes: what the graph tools ask of any store, and the vault's own.

A store decides nothing about permissions by itself. The top of the vault: it may import all of it.
"""
