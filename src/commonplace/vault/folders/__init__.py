"""The list of notes of each root as a live document, for clients that keep a folder in step.

`plan` is pure; `apply` does what clients asked for, `publish` shows what the vault has. Imports
notes and what is below.
"""
