"""The entries of a conversation, and those who listen to them.

Entries are numbered. A listener is given what changes: a whole entry, or words added to its text.
"""

from collections.abc import Callable, Iterator

from commonplace.agent.events import TEXT_CHARS_MAX, Event

Listener = Callable[[Event], None]


class Transcript:
    """What was said, in order."""

    def __init__(self, entries: list[Event]) -> None:
        self._entries = entries
        self.listeners: set[Listener] = set()

    def add(self, entry: Event) -> Event:
        """Add an entry."""
        entry["n"] = self._entries[-1]["n"] + 1 if self._entries else 0
        self._entries.append(entry)
        self.tell({"entry": entry})
        return entry

    def change(self, entry: Event, **more: object) -> None:
        """Change an entry."""
        entry.update(more)
        self.tell({"entry": entry})

    def extend(self, kind: str, text: str) -> None:
        """Add words to the last entry, if it is of this kind and has room."""
        last = self._entries[-1] if self._entries else {}
        if last.get("kind") == kind and len(last["text"]) + len(text) <= TEXT_CHARS_MAX:
            last["text"] += text
            self.tell({"n": last["n"], "more": text})
        else:
            self.add({"kind": kind, "text": text})

    def step(self, event: Event) -> None:
        """Add a step of this turn, or say more about it."""
        for entry in self._of_turn("step"):
            if entry["id"] == event["id"]:
                self.change(entry, **event)
                return
        self.add({"kind": "step", "title": "", "tool": "other", "status": "pending", **event})

    def plan(self, event: Event) -> None:
        """Set the plan of this turn."""
        for entry in self._of_turn("plan"):
            self.change(entry, **event)
            return
        self.add({"kind": "plan", **event})

    def end_turn(self) -> None:
        """Leave nothing of this turn at work or unanswered."""
        for entry in self._of_turn("step"):
            if entry["status"] not in ("completed", "failed"):
                self.change(entry, status="stopped")
        for entry in self._of_turn("question"):
            if entry["answer"] is None:
                self.change(entry, answer="no")

    def tell(self, news: Event) -> None:
        """Tell everybody who listens."""
        for listener in tuple(self.listeners):
            listener(news)

    def _of_turn(self, kind: str) -> Iterator[Event]:
        for entry in reversed(self._entries):
            if entry["kind"] == "asked":
                return
            if entry["kind"] == kind:
                yield entry
