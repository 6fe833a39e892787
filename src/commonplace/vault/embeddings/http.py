"""Embeddings from any server that answers `/v1/embeddings` as OpenAI does.

Ollama, llama.cpp, vLLM, LM Studio and the paid ones do. A server can be down, slow or wrong in
every way: each wait has an end, each answer is checked, and each failure is an `Unavailable` that
says what happened. Indexing tries a few times; a question is asked once, with little patience,
because search by words answers meanwhile.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from typing import IO, cast
from urllib.parse import urlsplit

import numpy as np

from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.embeddings.provider import Floats

REQUEST_TEXTS_MAX = 32
VECTORS_BYTES_MAX = 64 << 20

_PIECE = 1 << 16
_REASON_MAX = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often to try."""

    seconds: float
    tries: int
    pause: float = 0.5


INDEXING = Patience(seconds=60, tries=3)
ASKING = Patience(seconds=5, tries=1)


class OpenAICompatible:
    """A model behind a URL. Its dimensions are learnt from the first answer, then held to."""

    def __init__(
        self,
        url: str,
        model: str,
        key: str | None = None,
        *,
        indexing: Patience = INDEXING,
        asking: Patience = ASKING,
    ) -> None:
        self._url = endpoint(url)
        self._model = model
        self._key = key
        self._indexing = indexing
        self._asking = asking
        self._dimensions: int | None = None

    @property
    def id(self) -> str:
        """The model and what is put before documents; the same model may move to another URL."""
        return f"http/{self._model}/"

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; asks the server if nothing was asked yet."""
        if self._dimensions is None:
            self.embed_query("dimensions")
        return cast("int", self._dimensions)

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Give one row for each text, asking for a few at a time."""
        sent = list(texts)
        parts = [
            self._embed(sent[first : first + REQUEST_TEXTS_MAX], self._indexing)
            for first in range(0, len(sent), REQUEST_TEXTS_MAX)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Floats:
        """Give the vector of a question."""
        return self._embed([text], self._asking)[0]

    def close(self) -> None:
        """Nothing is held between requests."""

    def _embed(self, texts: list[str], patience: Patience) -> Floats:
        asked = {"model": self._model, "input": texts, "encoding_format": "float"}
        vectors = _vectors(self._post(json.dumps(asked).encode(), patience), len(texts))
        known = self._dimensions or vectors.shape[1]
        if vectors.shape[1] != known:
            raise Unavailable(
                f"The embeddings server changed from {known} to {vectors.shape[1]} dimensions."
                " Restart to index with the new model."
            )
        self._dimensions = known
        return vectors

    def _post(self, body: bytes, patience: Patience) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        for attempt in range(1, patience.tries + 1):
            try:
                return _ask(self._url, body, headers, patience.seconds)
            except _Passing as failure:
                if attempt == patience.tries:
                    raise Unavailable(str(failure)) from failure
                time.sleep(patience.pause * 2 ** (attempt - 1))
        raise AssertionError("patience has at least one try")


class _Passing(Exception):
    """A failure that another try may mend."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> None:
        return None


def endpoint(url: str) -> str:
    """Complete a server's address: `http://localhost:11434` and `…/v1` will do."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise BadArgument(
            "The embeddings URL must start with http:// or https://,"
            " for example http://localhost:11434/v1."
        )
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if path else "/v1/embeddings"
    return parts._replace(path=path, fragment="").geturl()


def _ask(url: str, body: bytes, headers: Mapping[str, str], seconds: float) -> bytes:
    deadline = time.monotonic() + seconds
    request = urllib.request.Request(url, body, dict(headers))  # noqa: S310 - scheme is checked
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=seconds) as answer:
            return _read(cast("HTTPResponse", answer), deadline)
    except urllib.error.HTTPError as error:
        with error:
            message = f"The embeddings server answered {error.code}: {_reason(error)}"
        if error.code == 429 or error.code >= 500:
            raise _Passing(message) from error
        raise Unavailable(f"{message} Check its URL, model and key.") from error
    except TimeoutError as error:
        raise _Passing(f"The embeddings server did not answer within {seconds:g} s.") from error
    except (OSError, HTTPException) as error:
        raise _Passing(
            "The embeddings server cannot be reached. Is it running, and is its URL right?"
        ) from error


def _read(answer: HTTPResponse, deadline: float) -> bytes:
    """Read an answer; one that drips, or never ends, is cut off."""
    data = bytearray()
    while piece := answer.read1(_PIECE):
        data += piece
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(data) > VECTORS_BYTES_MAX:
            raise Unavailable("The embeddings server sent far more than was asked for.")
    if answer.length:
        raise IncompleteRead(bytes(data), answer.length)
    return bytes(data)


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        text = error.read(_REASON_MAX * 4).decode("utf-8", "replace")
    except (OSError, HTTPException):
        text = ""
    return " ".join((text or error.reason).split())[:_REASON_MAX]


def _vectors(answer: bytes, count: int) -> Floats:
    """Check an answer and give its vectors, in the order of the texts, at length 1."""
    try:
        rows = sorted(json.loads(answer)["data"], key=lambda row: row["index"])
        with np.errstate(over="ignore"):
            vectors = np.array([row["embedding"] for row in rows], np.float32)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Unavailable("The embeddings server's answer is not a list of embeddings.") from error
    if vectors.ndim != 2 or len(vectors) != count:
        raise Unavailable(f"The embeddings server gave {len(vectors)} vectors for {count} texts.")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise Unavailable("The embeddings server gave a vector that is empty or not a number.")
    return vectors / lengths
