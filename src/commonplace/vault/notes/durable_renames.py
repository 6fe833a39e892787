"""A rename from its record to its end, whatever stops it in between.

What is to be done is on record before anything happens, and each part of it can be done twice
without harm. A rename that a crash cut short is therefore finished on the next start once the file
has moved, and forgotten if it has not.
"""

import logging
import uuid
from collections.abc import Collection, Mapping

import anyio
import anyio.to_thread

from commonplace.core import paths
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.reader import reason
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import Log
from commonplace.vault.notes.rename_history import RenameHistory, purpose_of
from commonplace.vault.notes.rename_plan import RenamePlan, plans
from commonplace.vault.notes.rewrite import Outcome, Rewriter, Rewritten
from commonplace.vault.search.texts import Texts
from commonplace.vault.supervisor import Background

LINKS_RETRY_SECONDS = 10.0
RENAME_KIND = "rename"

logger = logging.getLogger(__name__)


class DurableRenames:
    """Carries out renames that are planned, one at a time: `alone` is held by whoever does."""

    def __init__(self, roots: Roots, log: Log, notes: LiveNotes, texts: Texts) -> None:
        self.alone = anyio.Lock()
        self.after = Background()
        """What follows a rename, and nobody waits for."""
        self._roots = roots
        self._log = log
        self._notes = notes
        self._rewriter = Rewriter(roots, notes)
        self._history = RenameHistory(notes, texts)
        self._owing = anyio.Event()

    async def carry_out(
        self, intent: RenamePlan, back: Mapping[str, Rewritten] | None = None
    ) -> Outcome:
        """Do it from the record to the end, whether or not the caller still waits."""
        key = uuid.uuid4().hex
        outcome = Outcome()
        with anyio.CancelScope(shield=True):
            await self._log.put_record(RENAME_KIND, key, intent.packed())
            try:
                await self._notes.move(intent.old, intent.new)
            except (CommonplaceError, OSError) as error:
                await self._log.put_record(RENAME_KIND, key, None)
                if isinstance(error, OSError):
                    why = f"{intent.old} cannot be renamed: {reason(error)}."
                    raise Unavailable(why) from error
                raise
            split: dict[str, list[str]] = {}
            planned = plans(intent, back or {}, split)
            await self._history.move(intent)
            outcome = await self._rewriter.rewrite(
                planned, intent.actor, key, purpose=purpose_of(intent)
            )
            await self._history.rewrite(intent, outcome.files)
            outcome.left = [f"{path}: {link}" for path in sorted(split) for link in split[path]]
            self.after.start(self._close(key, intent, outcome.later))
        return outcome

    async def _close(self, key: str, intent: RenamePlan, later: Collection[str]) -> None:
        """Close the record of a rename once the history has it, but for what is still to do."""
        await self._history.settle(intent)
        rest = intent.only(later)
        await self._log.put_record(RENAME_KIND, key, rest and rest.packed())
        if rest is not None:
            self._owing.set()

    async def recover(self) -> None:
        """Finish the renames that a crash cut short, or forget those that had not begun."""
        for key, text in (await self._log.records(RENAME_KIND)).items():
            intent = RenamePlan.unpacked(text)
            try:
                rest = await self._finish(key, intent) if self._moved(intent) else None
            except (CommonplaceError, OSError) as error:  # nothing here keeps a vault closed
                logger.warning("A rename could not be finished; it is tried again: %s", error)
                self._owing.set()
                continue
            await self._log.put_record(RENAME_KIND, key, rest and rest.packed())
            if rest is not None:
                self._owing.set()

    async def _finish(self, key: str, intent: RenamePlan) -> RenamePlan | None:
        """Finish a rename that a crash cut short; what could not be done is left for next time."""
        await self._notes.ids.follow_file(intent.old, intent.new)
        planned = plans(intent, {}, {})
        kept = await anyio.to_thread.run_sync(self._rewriter.sweep, planned, key)
        safe = {path: plan for path, plan in planned.items() if path not in kept}
        behind = [await self._notes.ids.path_of(id) for id in await self._log.unflushed()]
        outcome = await self._rewriter.rewrite(
            safe, intent.actor, key, set(filter(None, behind)), purpose_of(intent)
        )
        await self._history.rewrite(intent, outcome.files)
        await self._history.catch_up(intent, safe)
        return intent.only(kept | outcome.later)

    async def run(self) -> None:
        """Finish renames whose links could not follow, as soon as they can, until cancelled."""
        while True:
            await self._owing.wait()
            await anyio.sleep(LINKS_RETRY_SECONDS)
            self._owing = anyio.Event()
            async with self.alone:
                await self.recover()

    async def close(self) -> None:
        """Wait until the index has seen all that was renamed, and the history has it."""
        await self.after.finish()

    def _moved(self, intent: RenamePlan) -> bool:
        if self._roots.find(intent.new) is None:
            return False
        respelled = paths.collision_key(intent.old) == paths.collision_key(intent.new)
        return respelled or self._roots.find(intent.old) is None
