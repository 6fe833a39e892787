"""Comments by people: CriticMarkup in the note, for every editor; author and time in our record.

A comment about a suggestion stands right behind it, one about a passage behind the passage, which
is highlighted. An answer stands right behind the comment: those that touch are one thread. It is
resolved by taking all of it out of the text again.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from commonplace.core import critic
from commonplace.core.critic import DELIMITERS
from commonplace.core.critic.marks import Mark
from commonplace.core.text.edits import Edit
from commonplace.errors import BadArgument, Conflict
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.log.late_records import Afterwards

COMMENT_CHARS_MAX = 2_000

_KIND = "comment"


@dataclass(frozen=True, slots=True)
class Said:
    """Who wrote a comment, and when (seconds since 1970)."""

    who: str
    time: float


@dataclass(frozen=True, slots=True)
class Thread:
    """Comments that answer each other; `suggestion` is the id of the one they are about, if any."""

    line: int
    about: str
    suggestion: str
    said: tuple[critic.Remark, ...]


class Comments:
    """Writes comments into notes, and remembers whose they are."""

    def __init__(
        self, notes: LiveNotes, kept: Afterwards, clock: Callable[[], float] = time.time
    ) -> None:
        self._notes = notes
        self._kept = kept
        self._clock = clock
        self._said: dict[str, Said] | None = None
        self.latest = 0.0
        """When somebody last commented through us, since the start."""

    async def on_suggestion(self, path: str, id: str, text: str, who: str) -> None:
        """Comment on a suggestion.

        Raises:
            Conflict: it is gone, or has changed.

        """
        text = _checked(text)

        def plan(marked: str) -> list[Edit]:
            for name, _, end in critic.places(marked):
                if name == id:
                    return [Edit(end, end, f"{{>>{text}<<}}")]
            raise Conflict(f"{path}: the suggestion is gone or has changed. Look again.")

        await self._write(path, plan, text, who)

    async def on_passage(self, path: str, passage: str, text: str, who: str) -> None:
        """Comment on a passage that stands in the note once, outside of any suggestion.

        Raises:
            Conflict: it does not.

        """
        text = _checked(text)

        def plan(marked: str) -> list[Edit]:
            if not passage.strip() or marked.count(passage) != 1 or "{" in passage:
                raise Conflict(
                    f"{path}: this passage is not there exactly once. Choose a longer one."
                )
            at = marked.index(passage)
            if any(
                start < at + len(passage) and at < end for _, start, end in critic.places(marked)
            ):
                raise Conflict(f"{path}: there is a suggestion. Comment on the suggestion itself.")
            end = at + len(passage)
            return [Edit(at, at, "{=="), Edit(end, end, f"==}}{{>>{text}<<}}")]

        await self._write(path, plan, text, who)

    async def reply(self, path: str, to: str, text: str, who: str) -> None:
        """Answer a comment, behind the last of its thread.

        Raises:
            Conflict: there is none that says this.

        """
        text = _checked(text)

        def plan(marked: str) -> list[Edit]:
            end = _thread(path, marked, to)[-1].end
            return [Edit(end, end, f"{{>>{text}<<}}")]

        await self._write(path, plan, text, who)

    async def resolve(self, path: str, text: str, who: str) -> None:
        """Take a comment out of a note with its whole thread, and the light off its passage.

        Raises:
            Conflict: there is none that says this.

        """

        def plan(marked: str) -> list[Edit]:
            found = _thread(path, marked, text)
            lit = [m for m in critic.parse(marked).highlights if m.end == found[0].start]
            edges = [Edit(*edge) for m in lit for edge in ((m.start, m.body), (m.tail, m.end))]
            return [*edges, Edit(found[0].start, found[-1].end)]

        await self._notes.edit(path, plan, f"person:{who}")

    async def threads(self, path: str, marked: str) -> list[Thread]:
        """Return the comments of a note, those together that answer each other."""
        said = await self.signed(path, critic.remarks(marked))
        ends = {end: id for id, _, end in critic.places(marked)} if said else {}
        found: list[Thread] = []
        at = 0
        for marks in _threads(marked):
            some = tuple(said[at : at + len(marks)])
            at += len(marks)
            if some:
                about = ends.get(marks[0].start, "")
                found.append(Thread(some[0].line, some[0].about, about, some))
        return found

    async def signed(self, path: str, remarks: list[critic.Remark]) -> list[critic.Remark]:
        """Add to the comments of a note who wrote them and when, where that is known."""
        if not remarks:
            return []
        said, document = await self._all(), await self._notes.ids.id_of(path)
        found = [(each, said.get(_key(document, each.text))) for each in remarks]
        return [
            replace(each, author=each.author or one.who, time=each.time or one.time)
            if one
            else each
            for each, one in found
        ]

    async def _write(
        self, path: str, plan: Callable[[str], list[Edit]], text: str, who: str
    ) -> None:
        await self._notes.edit(path, plan, f"person:{who}")
        said, key = Said(who, self._clock()), _key(await self._notes.ids.id_of(path), text)
        self.latest = said.time
        (await self._all())[key] = said
        await self._kept.put(_KIND, key, json.dumps(asdict(said), ensure_ascii=False))

    async def _all(self) -> dict[str, Said]:
        if self._said is None:
            rows = await self._kept.records(_KIND)
            self._said = {key: Said(**json.loads(value)) for key, value in rows.items()}
        return self._said


def _threads(marked: str) -> list[list[Mark]]:
    """Return the comments of a text, those together that touch."""
    found: list[list[Mark]] = []
    for mark in critic.parse(marked).comments:
        if found and found[-1][-1].end == mark.start:
            found[-1].append(mark)
        else:
            found.append([mark])
    return found


def _thread(path: str, marked: str, text: str) -> list[Mark]:
    """Return the thread in which a comment says a text."""
    for marks in _threads(marked):
        if any(marked[mark.body : mark.tail].strip() == text.strip() for mark in marks):
            return marks
    raise Conflict(f"{path}: there is no such comment, or it was resolved already.")


def _key(document: str, text: str) -> str:
    return f"{document} {hashlib.sha256(text.strip().encode()).hexdigest()[:16]}"


def _checked(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise BadArgument("The comment is empty.")
    if len(text) > COMMENT_CHARS_MAX:
        raise BadArgument(f"The comment is over {COMMENT_CHARS_MAX:,} characters. Say it shorter.")
    if any(sign in text for sign in DELIMITERS):
        raise BadArgument("A comment cannot hold signs of CriticMarkup such as {++ or <<}.")
    return text
