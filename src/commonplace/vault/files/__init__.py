"""The note files of a vault: found, read, written whole, renamed, watched.

Nothing outside this package touches a file of the vault. Every path is opened beneath its root's
descriptor, no symbolic link is followed, and nothing is overwritten unseen. Imports settings only.
"""
