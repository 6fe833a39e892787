"""Shows what a history says, with nothing but Python: `python read_history.py history.db`."""

import sqlite3
import sys
import zlib


def number(data: list[int]) -> int:
    byte = data.pop()
    return byte if byte < 128 else byte - 128 + 128 * number(data)


def applied(text: str, delta: bytes) -> str:
    data = list((zlib.decompress(delta[1:]) if delta[0] else delta[1:])[::-1])
    made, at = "", 0
    while data:
        start = at + number(data)
        removed, added = (bytes(data.pop() for _ in range(number(data))).decode() for _ in "ra")
        [number(data) for _ in range(2 * number(data))]  # whose letters came back
        made, at = made + text[at:start] + added, start + len(removed)
    return made + text[at:]


texts: dict[str, str] = {}
query = "SELECT doc, path, datetime(time, 'unixepoch'), actor, cause, delta, full FROM revisions"
rows = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(f"{query} ORDER BY id")
for doc, path, time, who, why, delta, full in rows:
    texts[doc] = zlib.decompress(full).decode() if full else applied(texts[doc], delta)
    sys.stdout.write(f"{time}  {path}  {who}  {why}\n{texts[doc]}\n")
