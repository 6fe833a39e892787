"""Embeddings from the model on this machine.

The model is read, checked and started at the first text, so opening costs nothing. A text runs on
one core: several threads each run a text of their own, because several cores on one text take
twice the processor time for it.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import numpy as np

from commonplace.core.search.wordpiece import WordPiece
from commonplace.errors import Unavailable
from commonplace.vault.embeddings.model import files as model
from commonplace.vault.embeddings.provider import Floats


class LocalEmbedder:
    """The installed model."""

    def __init__(
        self, data: Path, threads: int = 1, source: model.ModelSource = model.MINILM
    ) -> None:
        found = model.status(data, source)
        if found.state is not model.ModelState.READY:
            raise Unavailable(found.message)
        self._data = data
        self._source = source
        self._threads = threads
        self._running: _Running | None = None
        self._starting = threading.Lock()

    @property
    def id(self) -> str:
        """The model and the version of its build."""
        return f"{self._source.name}/{model.FORMAT}"

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return self._source.dimensions

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Give one row for each text."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        embed = self._start().embed
        if self._threads == 1 or len(texts) == 1:
            for row, text in enumerate(texts):
                vectors[row] = embed(text)
            return vectors
        with ThreadPoolExecutor(self._threads) as pool:
            for row, vector in enumerate(pool.map(embed, texts)):
                vectors[row] = vector
        return vectors

    def embed_query(self, text: str) -> Floats:
        """Give the vector of a question; this model makes no difference."""
        return self._start().embed(text)

    def close(self) -> None:
        """Let go of the model."""
        self._running = None

    def _start(self) -> "_Running":
        with self._starting:
            if self._running is None:
                files = model.load(self._data, self._source)
                self._running = _Running(files, self._source.tokens_max)
            return self._running


class _Running:
    """A model in memory."""

    def __init__(self, files: model.ModelFiles, tokens_max: int) -> None:
        self._words = WordPiece(files.vocabulary)
        self._tokens_max = tokens_max
        self._session = _session(files.graph)

    def embed(self, text: str) -> Floats:
        ids = np.array([self._words.encode(text, self._tokens_max)], np.int64)
        return cast("Floats", self._session.run(None, {"ids": ids})[0][0])


def _session(graph: bytes) -> Any:  # noqa: ANN401 - the runtime has no type stubs
    try:
        import onnxruntime
    except ImportError as error:
        raise Unavailable(
            "The search model needs onnxruntime, which is not installed here. Install it, or name"
            " an embeddings server (--embeddings, or COMMONPLACE_EMBEDDINGS)."
        ) from error
    runtime = cast("Any", onnxruntime)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return runtime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
