"""What is kept of a conversation, in a file of its own in the state folder."""

import json
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from commonplace.agent.events import Event
from commonplace.errors import NotFound, Unavailable

ENTRIES_MAX = 2_000
RECORD_CHARS_MAX = 4_000_000
CONVERSATIONS_MAX = 1_000
_QUERY_CHARS_MAX = 200

_ID_BYTES = 8


@dataclass(slots=True)
class ConversationRecord:
    """A conversation, without its process: what was said, and how to go on."""

    id: str
    agent: str
    created: float
    changed: float
    title: str = ""
    session: str = ""
    """What the agent calls it; empty if it cannot be taken up again."""
    token: str = ""
    """The access token that its agent has, or had."""
    folders: list[str] = field(default_factory=list[str])
    """What its working copy holds; without any, all notes that there is room for."""
    entries: list[Event] = field(default_factory=list[Event])

    @staticmethod
    def new(agent: str, now: float, folders: Iterable[str] = ()) -> "ConversationRecord":
        """Begin a conversation."""
        return ConversationRecord(
            secrets.token_hex(_ID_BYTES), agent, now, now, folders=list(folders)
        )

    def has(self, words: str) -> bool:
        """Tell whether something was said with these words."""
        wanted = words.casefold()
        texts = (str(entry.get("text", "")) for entry in self.entries)
        return wanted in self.title.casefold() or any(wanted in text.casefold() for text in texts)

    def trim(self) -> None:
        """Let go of the oldest entries when there are too many."""
        del self.entries[: max(len(self.entries) - ENTRIES_MAX, 0)]


class ConversationRecords:
    """All conversations of a vault."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folder_of(self, id: str) -> Path:
        """Return the folder of a conversation."""
        if len(id) != 2 * _ID_BYTES or not all(c in "0123456789abcdef" for c in id):
            raise NotFound("There is no such conversation.")
        return self._folder / id

    def load(self, id: str) -> ConversationRecord:
        """Read a conversation."""
        try:
            data = (self.folder_of(id) / "conversation.json").read_bytes()
            return ConversationRecord(**json.loads(data))
        except (OSError, ValueError, TypeError):
            raise NotFound("There is no such conversation.") from None

    def save(self, record: ConversationRecord) -> None:
        """Write a conversation whole."""
        record.trim()
        text = json.dumps(asdict(record))
        while len(text) > RECORD_CHARS_MAX and len(record.entries) > 1:
            del record.entries[: max(len(record.entries) // 4, 1)]
            text = json.dumps(asdict(record))
        folder = self.folder_of(record.id)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            spare = folder / "conversation.json.new"
            spare.touch(mode=0o600)
            spare.write_text(text)
            os.replace(spare, folder / "conversation.json")  # noqa: PTH105
        except OSError as error:
            raise Unavailable(f"The conversation cannot be saved: {error.strerror}.") from None

    def listed(self, words: str = "") -> list[ConversationRecord]:
        """List conversations in which something was said, newest first."""
        found = [one for one in self._all() if not words or one.has(words[:_QUERY_CHARS_MAX])]
        return sorted(found, key=lambda one: one.changed, reverse=True)[:CONVERSATIONS_MAX]

    def _all(self) -> Iterable[ConversationRecord]:
        with suppress(OSError):
            for folder in sorted(self._folder.iterdir()):
                with suppress(NotFound):
                    yield self.load(folder.name)
