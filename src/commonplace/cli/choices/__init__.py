"""What a person chose outside the table of options: a provider of embeddings, a store.

Each is read from flags, environment and settings file, in this order, with its credentials.
"""
