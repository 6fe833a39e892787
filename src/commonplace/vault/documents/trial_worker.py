"""Tries what may take long, in a process of its own: the engine cannot be interrupted.

Run as `python -m commonplace.vault.documents.trial_worker`. A request is a JSON line (what to do,
for which document, the sizes of its parts) and the parts; an answer is a JSON line (the error, if
there is one, and sizes) and parts. Nothing is kept here, so it may be killed at any moment.

Only the processor's time is measured, so that a busy machine does not make an update look dear.
What is honest takes the engine about 1 µs an item, wherever it is inserted.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from typing import BinaryIO

from commonplace.core.yjs.encoding import EarlyUpdate, HostileUpdate
from commonplace.core.yjs.gate import Gate
from commonplace.core.yjs.pieces import cut
from commonplace.core.yjs.policy import LOGGED
from commonplace.core.yjs.scan import scan
from commonplace.core.yjs.update import Pair
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.documents.document import Document
from commonplace.vault.documents.engine.replica import EngineFault, Replica, merged
from commonplace.vault.documents.folder_document import Touches

PIECE_SECONDS_MAX = 0.05
_LOAD_SECONDS_MAX = 0.05
ITEM_SECONDS_MAX = 3e-6
_NICE = 5

_SPARE_SECONDS = 5

MessageParts = list[bytes]


class Slow(HostileUpdate):
    """Something would take so long that everybody else would have to wait."""

    def __init__(self, message: str = "It takes too long to merge; nothing was kept.") -> None:
        super().__init__(message)


def try_update(document: str, parts: Sequence[bytes]) -> MessageParts:
    """Apply an update to a copy of a document; return pieces that are each applied quickly."""
    state, update = parts
    copy = _made(document)
    copy.load([state])
    pieces = cut(update, copy.known, copy.policy)
    for piece in pieces:
        copy.expect_order(piece.pairs)
        start = time.process_time()
        copy.apply(piece.update, "", tried=True)
        if time.process_time() - start > PIECE_SECONDS_MAX:
            raise Slow
    _refuse_slow(copy.state(), copy.items)
    return [piece.update for piece in pieces]


def join(document: str, updates: Sequence[bytes]) -> MessageParts:
    """Return a log as one update that loads quickly, its document's digest, and its items."""
    gate, asked = Gate(), list[Pair]()

    def ask(_: Sequence[bytes], pair: Pair) -> bool:
        asked.append(pair)
        return True

    for update in updates:
        gate.admit(update, scan(update, policy=LOGGED), ask)
    known, joined = gate.known, merged(updates) if len(updates) > 1 else updates[0]
    if asked:  # something may have been dropped for its order: merged, it would come back
        replayed = _made(document)
        replayed.load(updates)
        known, joined = replayed.known, replayed.full_update()
    _refuse_slow(joined, gate.items)
    copy = _made(document)
    copy.load([joined])
    if copy.known != known:
        raise EngineFault("a log that was joined is not what it was")
    return [joined, copy.digest(), str(copy.items).encode()]


def read_text(document: str, updates: Sequence[bytes]) -> MessageParts:
    """Replay a log, however long that takes; return the text."""
    copy = _made(document)
    copy.load(updates)
    return [copy.text.encode()]


TASKS: dict[str, Callable[[str, Sequence[bytes]], MessageParts]] = {
    "try_update": try_update,
    "join": join,
    "read_text": read_text,
}
ERRORS: tuple[type[CommonplaceError], ...] = (Slow, EarlyUpdate, HostileUpdate, Unavailable)


def packed(head: dict[str, object], parts: Sequence[bytes]) -> bytes:
    """Write a request or an answer."""
    line = json.dumps({**head, "sizes": [len(part) for part in parts]})
    return b"".join([line.encode(), b"\n", *parts])


def unpacked(stream: BinaryIO) -> tuple[dict[str, str], MessageParts] | None:
    """Read a request or an answer; None at the end of the stream."""
    line = stream.readline()
    if not line:
        return None
    head = json.loads(line)
    parts = [stream.read(size) for size in head["sizes"]]
    return head, parts


def main() -> None:
    """Answer requests until there are no more."""
    os.nice(_NICE)
    while (request := unpacked(sys.stdin.buffer)) is not None:
        head, parts = request
        _limit(float(head["seconds"]))
        try:
            answer = packed({}, TASKS[head["task"]](head["document"], parts))
        except CommonplaceError as error:
            kinds = (number for number, kind in enumerate(ERRORS) if isinstance(error, kind))
            answer = packed({"error": str(error), "kind": next(kinds, len(ERRORS) - 1)}, [])
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()


def _limit(seconds: float) -> None:
    """End by ourselves if the owner is gone that should have ended us."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(time.process_time() + seconds) + _SPARE_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _made(document: str) -> Document:
    return Touches().make_document(document)


def _refuse_slow(state: bytes, items: int) -> None:
    """Refuse what takes long to load as a whole: it is so loaded whenever a note is opened."""
    start = time.process_time()
    Replica().apply([state])
    if time.process_time() - start > _LOAD_SECONDS_MAX + items * ITEM_SECONDS_MAX:
        raise Slow


if __name__ == "__main__":
    main()
