"""What the server counts, for monitoring: Prometheus' text format at `/metrics`.

Numbers and words of our own alone: nothing here may hold the name or the text of a note, nor any
word that a client chose. Imports no other package of the server.
"""
