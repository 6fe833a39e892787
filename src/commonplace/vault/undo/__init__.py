"""Everything that one assistant did, taken back: a preview first, then as one entry of its own.

What others wrote stays, to the character. `plan` says from the history what would be done in each
note; `undo` previews it, carries it out, and takes an undo back. Imports notes and what is below.
"""
