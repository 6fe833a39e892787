"""Commands that tell how a vault is and what is in it, and bring its index up to date.

No note is changed by one.
"""
