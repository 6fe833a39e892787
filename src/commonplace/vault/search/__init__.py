"""Finding notes: by path, by pattern, by words, by meaning, and the text of each.

Answers hold the accepted view, as of the last edit. Imports documents, embeddings and index.
"""
