"""Questions to the index about links, tags and words, over one open connection."""
