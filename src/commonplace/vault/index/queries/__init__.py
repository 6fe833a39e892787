"""Questions to the index about links, tags, properties, suggestions and words, by connection.

They only read, and each on the connection it is given, so any thread may ask. Imports the index's
tables.
"""
