"""Texts into vectors: what a provider of embeddings promises.

A provider is used from worker threads, so its calls may block. Every vector has length 1, so a dot
product is a cosine. Vectors of providers with different `id`s must never be compared: the index
keeps the id beside what it stored and embeds anew when it changes.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class Embedder(Protocol):
    """A provider of embeddings. Calls raise `Unavailable` when it cannot answer."""

    @property
    def id(self) -> str:
        """Name the space of vectors: what changes it changes the id."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Give one row of length 1 for each text."""
        ...

    def embed_query(self, text: str) -> Floats:
        """Give the vector to look for; fails fast, because a person is waiting."""
        ...

    def close(self) -> None:
        """End what was started, if anything."""
        ...
