"""Which provider of embeddings a person chose: `local`, `none`, or `URL#MODEL`.

The key of a server comes from the environment alone. A vault's own file may name a server on this
machine only: a vault that came from elsewhere must not send its notes, or yours, anywhere.
"""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from commonplace.cli import folders
from commonplace.errors import BadArgument
from commonplace.vault.settings import CONFIG_FILE, Embeddings

KEY = "COMMONPLACE_EMBEDDINGS_KEY"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def chosen(
    flag: str | None, environ: Mapping[str, str], configured: str | None
) -> tuple[Path | None, Embeddings | None]:
    """Return the folder of the local model, if that is it, and the server, if it is one."""
    named = flag or environ.get("COMMONPLACE_EMBEDDINGS")
    if named is None and configured is not None:
        _refuse_far(configured)
    what = (named or configured or "local").strip()
    if what == "local":
        return models(environ), None
    if what == "none":
        return None, None
    url, _, model = what.partition("#")
    if not model or urlsplit(url).scheme not in ("http", "https"):
        raise BadArgument(
            f"Embeddings: {what!r} is neither local, none, nor a URL with a model's name behind"
            " it, like http://localhost:11434/v1#nomic-embed-text."
        )
    return None, Embeddings(url, model, environ.get(KEY) or None)


def models(environ: Mapping[str, str]) -> Path:
    """Say where the local model is, or will be: it serves all vaults of this user."""
    return folders.state_base(environ.get("COMMONPLACE_MODELS"))


def _refuse_far(configured: str) -> None:
    host = urlsplit(configured).hostname
    if host is not None and host not in _LOOPBACK:
        raise BadArgument(
            f"{CONFIG_FILE}: embeddings may name a server on this machine only. Name another on"
            " the command line (--embeddings) or as COMMONPLACE_EMBEDDINGS."
        )
