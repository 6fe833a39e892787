"""The local embedding model: downloaded once by the person's wish, built, checked, then offline.

What is downloaded is checked by its published hash before anything is built of it.
"""
