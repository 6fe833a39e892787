"""Which provider of embeddings a person chose: `local`, `none`, `URL#MODEL`, or an installed one.

The table of providers is in `vault.embeddings.choice`. The key of a server comes from the
environment alone. What a vault's own file names counts only once the person trusts the vault
(`vault.trust`).
"""

from collections.abc import Mapping
from pathlib import Path

from commonplace.cli import roots
from commonplace.vault.settings import Embeddings, installed_provider

KEY = "COMMONPLACE_EMBEDDINGS_KEY"
MODELS = "COMMONPLACE_MODELS"


def provider(what: str | None, environ: Mapping[str, str]) -> tuple[Path | None, Embeddings | None]:
    """Return the folder of the local model, if that is it, and the server, if it is one."""
    if what is None or what == "local":
        return models(environ), None
    if what == "none":
        return None, None
    url, _, model = what.partition("#")
    key = environ.get(KEY) or None
    if name := installed_provider(what):
        return models(environ), Embeddings(url, model, key, name)
    return None, Embeddings(url, model, key)


def models(environ: Mapping[str, str]) -> Path:
    """Say where the local model is, or will be: it serves all vaults of this user."""
    return roots.state_base(environ.get(MODELS))
