"""What the history is told of renames: the note's new path, and the links that followed it.

A note that nobody has open is rewritten as its file, past the log. So the record of a rename stays
open until the history has all of it, and what a crash kept from the history is told when the
rename is finished.
"""

from collections.abc import Mapping, Sequence

from commonplace.errors import CommonplaceError
from commonplace.vault.documents.changes import Plan, Purpose
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.notes.rename_plan import RenamePlan
from commonplace.vault.notes.rewrite import RewrittenFile
from commonplace.vault.search.texts import Texts
from commonplace.vault.supervisor import tell_failure


class RenameHistory:
    """Tells the history of renames."""

    def __init__(self, notes: LiveNotes, texts: Texts) -> None:
        self._notes = notes
        self._texts = texts

    async def move(self, intent: RenamePlan) -> None:
        """Let the history follow a note to its new path."""
        try:
            text = await self._texts.marked(intent.new)
        except CommonplaceError:
            return  # an attachment, or a note that cannot be read
        id = await self._notes.ids.id_of(intent.new)
        purpose = purpose_of(intent)
        self._notes.recorder.note(id, intent.new, intent.actor, purpose, text, was=intent.old)

    async def rewrite(self, intent: RenamePlan, files: Sequence[RewrittenFile]) -> None:
        """Take down whose links followed in notes that nobody has open."""
        try:
            await self._notes.ids.identify_all(each.path for each in files)
            for each in files:
                id = await self._notes.ids.id_of(each.path)
                texts = (each.before, each.after)
                path, purpose = each.path, purpose_of(intent)
                self._notes.recorder.rewrite(id, path, intent.actor, purpose, texts)
        except CommonplaceError as error:
            tell_failure("The history misses the links that followed a rename.", error)

    async def settle(self, intent: RenamePlan) -> None:
        """Keep all that was told of a rename."""
        known = map(self._notes.ids.known_id, {intent.new, *intent.links})
        await self._notes.recorder.flush([id for id in known if id is not None])

    async def catch_up(self, intent: RenamePlan, plans: Mapping[str, Plan]) -> None:
        """Tell what a crash kept from the history; a note without one stays without."""
        recorder, purpose = self._notes.recorder, purpose_of(intent)
        for path in {intent.new, *plans}:
            id = await self._notes.ids.recorded_id(path)
            if id is None:
                continue
            if path == intent.new:
                await recorder.move_late(id, path, intent.old, intent.actor, purpose)
            if path in plans and (text := await self._text(path)) is not None:
                plan = plans[path]
                await recorder.rewrite_late(id, path, intent.actor, purpose, plan, text)
        await recorder.flush()

    async def _text(self, path: str) -> str | None:
        try:
            return await self._texts.marked(path)
        except CommonplaceError:
            return None


def purpose_of(intent: RenamePlan) -> Purpose:
    """Return what the edits of a rename are for."""
    return Purpose("rename", intent.set)
