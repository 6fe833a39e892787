"""Where an edit happened, as a relative position of Yjs: it stays right while others write on."""

from commonplace.core.yjs.scan import scan

BEFORE, BEHIND = 0, -1

RelativePosition = dict[str, object]


def last_place(update: bytes, root: str = "contents") -> RelativePosition | None:
    """Return the place behind what an update wrote last, or before what it took away."""
    scanned = scan(update)
    written = [(client, span[1] - 1) for client, spans in scanned.spans.items() for span in spans]
    if written:
        return _place(root, *written[-1], BEHIND)
    for gone in scanned.deletions:
        return _place(root, gone.client, gone.clock, BEFORE)
    return None


def _place(root: str, client: int, clock: int, side: int) -> RelativePosition:
    return {
        "type": None,
        "tname": root,
        "item": {"client": client, "clock": clock},
        "assoc": side,
    }
