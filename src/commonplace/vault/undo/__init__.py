"""Everything that one assistant did, taken back: a preview first, then as one entry of its own.

plan     what would be done in each note, from the history
undo     previews, carries out, and takes an undo back
"""
