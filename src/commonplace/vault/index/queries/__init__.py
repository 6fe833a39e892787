"""Questions to the index about links, tags, properties, suggestions and words, by connection."""
