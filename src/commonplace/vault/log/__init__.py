"""The log (`live.db`): every acknowledged edit, and what must be remembered about documents.

What a call has returned is on disk. One thread writes, in groups; a job that fails fails alone.
Imports lease and postgres.
"""
