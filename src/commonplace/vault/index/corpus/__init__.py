"""The joined texts of all notes: which stretch is whose, and which parts hold a piece of text.

Derived, and made anew with the index. Imports no other package of the vault.
"""
