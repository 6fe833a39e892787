"""The local embedding model: downloaded once by the person's wish, built, checked, then offline."""
