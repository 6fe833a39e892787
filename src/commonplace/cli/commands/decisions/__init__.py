"""Commands by which a person decides: suggestions, writes, who may come in, what is taken back."""
