"""The one table of providers of embeddings: built in, and of other packages.

A provider is a function from what the person chose and the data folder to an `Embedder`. Other
packages declare theirs as entry points of the group `commonplace.embeddings`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from commonplace.errors import BadArgument
from commonplace.vault import plugins
from commonplace.vault.settings import Embeddings, Settings

if TYPE_CHECKING:
    from commonplace.vault.embeddings.provider import Embedder

_GROUP = "commonplace.embeddings"

EmbedderProvider = Callable[[Embeddings, Path], "Embedder"]


def _local(choice: Embeddings, data: Path) -> "Embedder":
    """Use the model that `commonplace model install` put on this machine."""
    from commonplace.vault.embeddings.process import ProcessEmbedder

    return ProcessEmbedder(data)


def _http(choice: Embeddings, data: Path) -> "Embedder":
    """Use any server that answers `/v1/embeddings` as OpenAI does."""
    from commonplace.vault.embeddings.http import OpenAICompatible

    return OpenAICompatible(choice.url, choice.model, choice.key)


_BUILT_IN: dict[str, EmbedderProvider] = {"local": _local, "http": _http}
LOCAL = Embeddings("", "", provider="local")


def provider(name: str) -> EmbedderProvider:
    """Return the provider of a name; BadArgument if there is none."""
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if name not in plugins.names(_GROUP):
        known = ", ".join([*_BUILT_IN, *plugins.names(_GROUP)])
        raise BadArgument(f"There is no provider of embeddings {name!r}. There are: {known}.")
    return cast("EmbedderProvider", plugins.load(_GROUP, name))


def open_embedder(settings: Settings) -> "Embedder":
    """Open the provider that the settings choose; the local model if they name none."""
    chosen = settings.embeddings or LOCAL
    return provider(chosen.provider)(chosen, settings.models or Path())
