"""The files of a vault for copies on other machines: listed, given, and what is saved there taken.

A note that was saved from an older text is merged through the one door, as everywhere. Imports the
whole vault.
"""
