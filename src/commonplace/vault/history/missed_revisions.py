"""What happened to a text while nobody took it down, worked out from the log.

After a crash the log has changes that the history does not: each with its actor, cause and time.
They are played again. What even the log does not know came from the file, by another program or
while Commonplace was not running.
"""

from dataclasses import replace
from itertools import groupby

from commonplace.core.history import between
from commonplace.errors import CommonplaceError
from commonplace.vault.documents.document import Document
from commonplace.vault.history.history import Head, History, NewRevision
from commonplace.vault.log.log import Log, Logged

_ACTOR, CAUSE = "file", "file"


class MissedRevisions:
    """Finds what the history lacks."""

    def __init__(self, history: History, log: Log) -> None:
        self._history = history
        self._log = log

    async def join(self, written: NewRevision) -> tuple[list[NewRevision], NewRevision]:
        """Join a revision to the newest one: with what happened between, or from its text on.

        A note that a rename rewrote as its file is behind the history until its document takes
        the file in.
        """
        id = written.document
        head = await self._history.head(id) or await self._lost(id, written.path)
        if head is None or head.text == written.before:
            return [], written
        if written.cause == "file" and await self._is_ahead(head, written):
            delta = between(head.text, written.after)
            return [], replace(written, before=head.text, delta=delta)
        return await self._between(id, head, written), written

    async def _is_ahead(self, head: Head, written: NewRevision) -> bool:
        """Tell whether the newest revision rewrote the file of a note that nobody had open."""
        newest = await self._history.find(head.revision)
        if newest is None or newest.cause != "rename":
            return False
        since = await self._log.since(written.document, head.seq)
        return all(each.cause == "file" for each in since if each.seq <= written.seq)

    async def _lost(self, id: str, path: str) -> Head | None:
        """Take over the history of the note that was here when the log was lost."""
        other = await self._history.document_at(path)
        if other is None or await self._log.find(other) is not None:
            return None
        await self._history.adopt(other, id)
        return await self._history.head(id)

    async def _between(self, id: str, head: Head, upto: NewRevision) -> list[NewRevision]:
        """Return the revisions that lead from the newest one kept to the text before another."""
        found: list[NewRevision] = []
        text = head.text
        for actor, cause, at, after, seq in await self._replayed(id, head, upto.before):
            if after != text:
                kind, _, set_name = cause.partition(" ")
                made = replace(upto, actor=actor, cause=kind or "call", set=set_name, time=at)
                delta = between(text, after)
                found.append(
                    replace(made, started=at, delta=delta, before=text, after=after, seq=seq)
                )
                text = after
        if text != upto.before:
            rest = replace(upto, actor=_ACTOR, cause=CAUSE, set="", time=upto.started, note="")
            delta = between(text, upto.before)
            found.append(replace(rest, delta=delta, before=text, after=upto.before, seq=head.seq))
        return found

    async def _replayed(
        self, id: str, head: Head, upto: str
    ) -> list[tuple[str, str, float, str, int]]:
        """Play what the log has after a revision: runs of one actor and cause, up to a text."""
        later = await self._log.since(id, head.seq)
        kept = (await self._log.replay(id)).updates
        if not later or not head.seq or len(kept) < len(later):
            return []
        document = Document(id)
        found: list[tuple[str, str, float, str, int]] = []
        try:
            document.load(kept[: len(kept) - len(later)])
            joined = document.text == head.text  # a file that we rewrote comes to the log later
            for (actor, cause), run in groupby(later, _whose):
                changes = list(run)
                for each in changes:
                    document.apply(each.update, actor, tried=True)
                if joined:
                    found.append((actor, cause, changes[-1].time, document.text, changes[-1].seq))
                joined = joined or document.text == head.text
                if document.text == upto:
                    return found
        except CommonplaceError:
            return []
        return []


def _whose(each: Logged) -> tuple[str, str]:
    return each.actor, each.cause
