"""Working copies: a folder with the accepted view of notes, in which any program may write.

What people write flows in; what is saved there becomes suggestions in the vault under one name. The
copy never shows a mark. For each note the text that copy and vault last agreed on, its *base*, is
kept: `sync` compares copy, base and vault, and whichever side differs from the base has changed.
"""
