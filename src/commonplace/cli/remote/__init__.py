"""The vault of another process, with the parts and methods that commands know from their own.

Everything goes over the HTTP socket of its owner; imports values of the vault, and no state.
"""
