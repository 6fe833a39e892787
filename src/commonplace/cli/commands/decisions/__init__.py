"""Commands by which a person decides: suggestions, writes, who may come in, what is taken back.

Where a process owns the vault, it carries them out (`cli.vault_access`).
"""
