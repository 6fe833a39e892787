"""Rows of `revisions` and `heads`: how texts, blame and deltas are packed in them."""

import zlib
from collections.abc import Iterable

from commonplace.core import history
from commonplace.core.history import Blame, PassageChange
from commonplace.vault.history.history import Revision

COLUMNS = 'id, doc, path, started, time, actor, cause, "set", note'
SELECT = f"SELECT {COLUMNS}, delta FROM revisions"  # noqa: S608 (it is ours)


def packed_blame(blame: Blame) -> bytes:
    """Return blame as bytes."""
    return history.encode((PassageChange(0, "", "", blame),))


def unpacked_blame(data: bytes) -> Blame:
    """Return the blame that was packed."""
    return history.decode(data)[0].origins if data else ()


def packed_text(text: str) -> bytes:
    """Return a whole text as bytes."""
    return zlib.compress(text.encode(errors="surrogatepass"), 6)


def unpacked_text(data: bytes) -> str:
    """Return the text that was packed."""
    return zlib.decompress(data).decode(errors="surrogatepass")


def text_before(full: bytes, delta: bytes) -> str:
    """Return the text before the first revision that is kept of a document."""
    return history.apply(unpacked_text(full), history.inverse(history.decode(delta)))


def revision(row: Iterable[object]) -> Revision:
    """Return the revision of a row of `COLUMNS` and its delta."""
    *fields, delta = row
    assert isinstance(delta, bytes)
    return Revision(*fields, delta=history.decode(delta))  # pyright: ignore[reportArgumentType]
