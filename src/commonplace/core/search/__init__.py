"""The arithmetic of search: passages, token ids, two rankings made one, what to show of a hit."""
