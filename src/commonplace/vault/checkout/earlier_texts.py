"""What the files of a working copy held before we wrote them.

A program that read a file before we brought something in, and saves it after, has not seen that:
as a change of what the file held last, its save would take people's words back. It was made from
whichever state it is nearest to. A file put back exactly as it was is a wish, and is left so. What
the program itself has saved it knows, so nothing older counts after that.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from commonplace.core.text.word_diff import changed_words
from commonplace.vault.documents.file.versions import STATES_MAX

KNOWN_SECONDS_MAX = 60.0
KNOWN_NOTES_MAX = 1_000


@dataclass(frozen=True, slots=True)
class _HeldText:
    text: str
    time: float


class Earlier:
    """The states that a program may still have in mind, of each note."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: dict[str, list[_HeldText]] = {}

    def put(self, path: str, text: str) -> None:
        """Keep what a file held when we wrote it anew."""
        states = [*self._recent(path), _HeldText(text, self._clock())][-STATES_MAX:]
        self._states.pop(path, None)
        self._states[path] = states
        while len(self._states) > KNOWN_NOTES_MAX:
            del self._states[next(iter(self._states))]

    def forget(self, path: str) -> None:
        """Let go of all that a note's file held: the program has saved it since."""
        self._states.pop(path, None)

    def base_of(self, path: str, base: str, saved: str) -> str:
        """Return the text that a save was made from: the base, or one before it that is nearer."""
        known = [state.text for state in self._recent(path)]
        if not known or saved in known:
            return base
        return min([base, *reversed(known)], key=lambda text: sum(changed_words(text, saved)))

    def _recent(self, path: str) -> list[_HeldText]:
        now = self._clock()
        return [one for one in self._states.get(path, ()) if now - one.time <= KNOWN_SECONDS_MAX]
