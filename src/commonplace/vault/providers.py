"""Which provider of embeddings the person chose: the local model, a server, or none."""

from dataclasses import dataclass
from pathlib import Path

from commonplace.vault.embed import Embedder
from commonplace.vault.embed_http import OpenAICompatible
from commonplace.vault.embed_process import ProcessEmbedder


@dataclass(frozen=True, slots=True)
class LocalChoice:
    """The model that `commonplace model install` put on this machine."""


@dataclass(frozen=True, slots=True)
class HttpChoice:
    """Any server that answers `/v1/embeddings` as OpenAI does."""

    url: str
    model: str
    key: str | None = None
    query_prefix: str = ""
    document_prefix: str = ""


Choice = LocalChoice | HttpChoice | None


def open_embedder(choice: Choice, data: Path) -> Embedder | None:
    """Open the chosen provider; None means search by words alone."""
    match choice:
        case LocalChoice():
            return ProcessEmbedder(data)
        case HttpChoice():
            return OpenAICompatible(
                choice.url,
                choice.model,
                choice.key,
                query_prefix=choice.query_prefix,
                document_prefix=choice.document_prefix,
            )
        case None:
            return None
