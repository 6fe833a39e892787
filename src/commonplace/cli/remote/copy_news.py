"""What happens to a copy of a server's vault, told on the terminal or as JSON, a line each."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from commonplace.cli.messages import notice
from commonplace.core.text.quotation import one_line
from commonplace.vault.remote_copy.news import News
from commonplace.vault.remote_copy.remote_copy import RemoteCopy
from commonplace.vault.remote_copy.server import RemoteServer

_LINE_MAX = 2_000
_QUIET = ("fetched", "sent", "suggested", "removed", "deleted", "renamed", "ready")
_MAY = {
    "read": "This access token can only read: what is saved here stays here.",
    "suggest": "This access token can only suggest: what is saved here waits for a person.",
}
_SENTENCES: dict[str, Callable[[News], str]] = {
    "conflict": lambda news: (
        f"{_safe(news.path)} was changed on both sides and cannot be merged: yours is"
        f" {_safe(news.text)}"
    ),
    "trouble": lambda news: f"{_safe(news.path)}: {_safe(news.text)}",
    "held": lambda news: news.text,
    "offline": lambda news: (
        f"{_safe(news.text)} The folder can be used meanwhile; it is tried again."
    ),
    "online": lambda _: "the server is there again.",
}


class CopyNewsPrinter:
    """Tells a person, or a program with `as_json`, and counts."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.counts: Counter[str] = Counter()

    def __call__(self, news: News) -> None:
        """Tell one thing."""
        self.counts[news.kind] += 1
        if self._as_json:
            row = {"event": news.kind, "path": news.path, "text": news.text, "count": news.count}
            self._line({key: value for key, value in row.items() if value})
        elif news.kind not in _QUIET:
            notice(_SENTENCES[news.kind](news))

    def tell_scope(self, may: str) -> None:
        """Say what the access token does not allow."""
        if self._as_json:
            self._line({"event": "scope", "text": may})
        elif may in _MAY:
            notice(_MAY[may])

    def tell_sum(self, folder: Path) -> None:
        """Say what was done, at the end."""
        if not self._as_json:
            done = [f"{count:,} {kind}" for kind, count in self.counts.items() if kind in _QUIET]
            notice(f"{folder} is in step ({', '.join(done) or 'nothing to do'}).")

    @staticmethod
    def _line(row: dict[str, object]) -> None:
        sys.stdout.write(json.dumps(row) + "\n")  # at once: several threads tell something
        sys.stdout.flush()


async def follow_copy(
    server: RemoteServer,
    folder: Path,
    base: Path,
    told: CopyNewsPrinter,
    *,
    once: bool,
    delete_many: bool,
) -> None:
    """Keep a folder in step with a server, once or until cancelled."""
    async with RemoteCopy.open(server, folder, base, told, delete_many=delete_many) as copy:
        if once:
            await copy.once()
            told.tell_scope(copy.may)
            told.tell_sum(folder)
            return
        notice(f"keeping {folder} in step. Press Ctrl+C to stop.")
        await copy.run(told.tell_scope)


def _safe(text: str) -> str:
    return one_line(" ".join(text.split()), _LINE_MAX)
