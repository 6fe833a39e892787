"""A note read for an assistant: its text, what waits in it, what was decided since it last read.

Reading is what permits an edit: whoever reads here is put down in `readings`.
"""

import time
from dataclasses import asdict, dataclass

from commonplace.core import critic
from commonplace.core.critic.parse import parse
from commonplace.core.critic.suggestions import REMARKS_MAX
from commonplace.core.render.remarks import CommentLine, Decided, PendingLine
from commonplace.core.scopes import assistant_of
from commonplace.core.text.line_pages import LinePage
from commonplace.vault.permissions.requests import Json
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.authorship import Authorship
from commonplace.vault.suggestions.comments import Comments
from commonplace.vault.suggestions.ends.absence import Absence
from commonplace.vault.suggestions.read_guard import CutReadings, Readings
from commonplace.vault.suggestions.review import Review
from commonplace.vault.threads import aside_if_long


@dataclass(frozen=True, slots=True)
class NoteRead:
    """A note as an assistant reads it."""

    path: str
    text: str
    pending: list[PendingLine]
    decided: list[Decided]
    comments: list[CommentLine]
    more_comments: int = 0
    """How many comments there are beside those."""

    @property
    def said(self) -> Json:
        """What people said, as plain values: comments, decisions; nothing where there is none."""
        rows = {"comments": self.comments, "decided": self.decided}
        told = {name: [_plain(each) for each in found] for name, found in rows.items() if found}
        total = len(self.comments) + self.more_comments
        return {**told, "comments_total": total} if self.more_comments else told


def _plain(value: CommentLine | Decided) -> Json:
    return {name: part for name, part in asdict(value).items() if part not in (None, "")}


class NoteReader:
    """Reads notes for assistants, and remembers who has read what."""

    def __init__(
        self,
        texts: Texts,
        review: Review,
        authorship: Authorship,
        comments: Comments,
        absence: Absence,
        readings: Readings,
        cuts: CutReadings,
    ) -> None:
        self._texts = texts
        self._absence = absence
        self._review = review
        self._authorship = authorship
        self._comments = comments
        self.readings = readings
        self.cuts = cuts

    async def read(self, path: str, actor: str, name: str) -> NoteRead:
        """Read a note for an assistant: its text, what waits in it, what was decided since.

        Whoever reads has to show what was decided: it is told once.
        """
        found, marked = await self._texts.find_marked(path)
        now = time.time()
        text = await aside_if_long(critic.accepted, marked)
        self.readings.remember(actor, found, text, now)
        signed = self._authorship.style.name(name)
        await self._absence.catch_up(found)
        decided = await self._review.decided_for(actor, signed, found)
        pending = [
            PendingLine(
                s.line,
                s.old,
                s.new,
                s.author,
                None if s.time is None else int(now - s.time),
                perhaps_rejected=doubted,
            )
            for s, doubted in await self._review.pending_in(found, marked)
        ]
        comments = [
            CommentLine(
                c.line, c.text, c.about, c.author, None if c.time is None else int(now - c.time)
            )
            for c in await self._comments.signed(found, critic.remarks(marked))
        ]
        cut = len(comments) == REMARKS_MAX
        more = len(parse(marked).comments) - len(comments) if cut else 0
        return NoteRead(found, text, pending, decided, comments, more)

    async def show(self, path: str, actor: str, name: str, page: LinePage | None) -> None:
        """Take note of the lines that an assistant is shown of what it has read; None: of all."""
        if page is None:
            self.readings.show_all(actor, path)
        else:
            self.readings.show(actor, path, page)
        lines = self.readings.cut_lines(actor, path)
        await self.cuts.put(assistant_of(actor, name), path, lines or 0)
