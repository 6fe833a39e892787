"""Makes a document what its log says; the first time, what its file says.

A history that would hold up everybody (see `replays`) is given up, and its text kept.
"""

from collections.abc import Sequence
from dataclasses import replace

from commonplace.core.text.edits import Edit, diff
from commonplace.core.text.endings import NUL_SHOWN
from commonplace.core.yjs.encoding import NO_UPDATE
from commonplace.vault.documents.changes import Taken
from commonplace.vault.documents.document import imported
from commonplace.vault.documents.engine.replica import EngineFault
from commonplace.vault.documents.replays import First, FirstText, Replays
from commonplace.vault.documents.saver import Live, Saver
from commonplace.vault.documents.trial_worker import Slow
from commonplace.vault.documents.trials import Trials
from commonplace.vault.log.log import Log, Replay

__all__ = ["First", "FirstText", "Loader"]

_ACTOR = "server"


class Loader:
    """Loads documents; one that cannot be loaded never becomes live."""

    def __init__(self, log: Log, trials: Trials, first: FirstText | None, saving: Saver) -> None:
        self._log = log
        self._first = first
        self._saving = saving
        self._replays = Replays(log, trials, first)

    def close(self) -> None:
        """End the process that tries histories."""
        self._replays.close()

    async def load(self, live: Live, *, alone: bool) -> bool:
        """Load a document, which nobody else has if it is `alone`; whether it was begun anew."""
        kept = await self._log.replay(live.document.id)
        anew = False
        try:
            await self._load_kept(live, kept, alone=alone)
        except Slow:
            await self._load_anew(live, kept, alone=alone)
            anew = True
        await self._replace_nul(live)
        return anew

    async def _load_kept(self, live: Live, kept: Replay, *, alone: bool) -> None:
        id = live.document.id
        first = None if kept.updates else await self._first_of(id)
        begun = imported(id, first.text, first.actor) if first else None
        if begun is not None:
            kept = Replay((begun.record,), begun.authors, tail=1)
        await self._replays.load(live, kept, alone=alone)
        if first is not None and begun is not None:
            await self._save_first(live, first, begun, alone=alone)

    async def _load_anew(self, live: Live, kept: Replay, *, alone: bool) -> None:
        """Give up a history that would hold up everybody, and keep its text."""
        text = await self._replays.restart(live.document.id, kept)
        await self._load_kept(live, Replay(), alone=alone)
        if text:
            shown = text.replace("\0", NUL_SHOWN)
            edited = live.document.edit(lambda now: diff(now, shown), _ACTOR)
            await self._saving.keep(live, edited, _ACTOR, None)

    async def _replace_nul(self, live: Live) -> None:
        """Put what stands for NUL in the place of each that a log from before still has."""
        if "\0" in live.document.text:
            edited = live.document.edit(_without_nul, _ACTOR)
            await self._saving.keep(live, edited, _ACTOR, None)

    async def _first_of(self, id: str) -> First | None:
        """Find the text that a document begins with, if there is any."""
        first = await self._first(id) if self._first else None
        if first is None or first.text:
            return first
        if first.disk:
            await self._log.put_disk(id, replace(first.disk, base=NO_UPDATE))
        return None

    async def _save_first(self, live: Live, first: First, begun: Taken, *, alone: bool) -> None:
        """Save what a document was begun with; it is worked on before that is done."""
        if live.document.text != first.text:
            raise EngineFault("a note began with another text than it should")
        disk = replace(first.disk, base=begun.update) if first.disk else None
        saving = self._saving.begin(live, begun, first.actor, None, disk, first=True)
        assert saving is not None
        if alone:
            saving.cancel()  # whoever works on it waits for what they do to be saved behind it
        else:
            await saving  # it was spoilt before: to save it has failed, perhaps just this


def _without_nul(text: str) -> Sequence[Edit]:
    return [Edit(at, at + 1, NUL_SHOWN) for at, char in enumerate(text) if char == "\0"]
