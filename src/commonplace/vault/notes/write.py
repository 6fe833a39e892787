"""Notes created, rewritten and deleted, each as a wish first and then as a deed.

A wish (`creation`, `revision`, `deletion`) refuses what cannot be and says to a person what would
change. The deed checks again, because minutes or days may lie between. A rewritten note is merged:
the assistant's change is the one from the text that it read, made in the text as it stands now
through the one door, so nobody's words in between are lost, nor suggestions elsewhere. A change
that touches a suggestion is itself one, in its place, whatever the policy: see `authorship`. Where
a person was asked, what is made is what the person was shown, or nothing.
"""

import time
import uuid
from collections.abc import Mapping
from typing import cast

import anyio.to_thread

from commonplace.core import compose, critic, frontmatter, links, paths
from commonplace.core.critic import Suggested, revise
from commonplace.core.scopes import assistant_of
from commonplace.core.text import endings, words
from commonplace.core.text.edits import Edit
from commonplace.core.text.endings import FileForm
from commonplace.errors import BadArgument, Conflict, PartRead, Unavailable, Unreadable
from commonplace.vault.documents.changes import Purpose, refuse_unwritable
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.files.reader import reason
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.reader import Index
from commonplace.vault.notes.preview import (
    backlink_warning,
    lost_suggestions,
    refuse_other_than_shown,
    shown_change,
    shown_text,
    size_of,
)
from commonplace.vault.notes.trash import Trash, TrashIndex
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker, Json, Wish
from commonplace.vault.search.listing import Listing
from commonplace.vault.search.texts import Texts
from commonplace.vault.suggestions.authorship import Authorship, Suggester
from commonplace.vault.suggestions.read_guard import CutReadings, Readings

_TOUCHES = ", as a suggestion, since it touches one that waits"


class NoteWriter:
    """Makes the changes that need a person's permission."""

    def __init__(
        self,
        texts: Texts,
        notes: LiveNotes,
        listing: Listing,
        authorship: Authorship,
        readings: Readings,
        cuts: CutReadings,
        roots: Roots,
        indexing: TrashIndex,
        index: Index,
        trash: Trash,
    ) -> None:
        self._texts = texts
        self._notes = notes
        self._listing = listing
        self._authorship = authorship
        self._readings = readings
        self._cuts = cuts
        self._roots = roots
        self._indexing = indexing
        self._index = index
        self._trash = trash

    def teach(self, permissions: Permissions) -> None:
        """Say how each kind of change is made."""
        permissions.teach("create_note", self._create)
        permissions.teach("update_note", self._update)
        permissions.teach("delete_note", self._delete, suggests=False)

    # -- wishes

    async def creation(self, raw: str, content: str, properties: Json | None) -> Wish:
        """Wish for a new note."""
        path = self._free(raw)
        text = compose.composed(content, properties)
        refuse_unwritable([Edit(0, 0, text)], text)
        revise.refuse_markup(text)
        change = {"path": path, "text": text, "asked": paths.new_note_path(raw)}
        summary = f"create {path} ({size_of(text)})"
        return Wish("create", path, "create_note", change, summary, shown_text(text))

    async def revision(
        self, raw: str, content: str | None, properties: Json | None, by: Asker
    ) -> Wish:
        """Wish for another text of a note, as seen from what the actor has read of it."""
        if content is None and properties is None:
            raise BadArgument("Give content, frontmatter, or both: there is nothing to update.")
        path = self._texts.find(raw)
        marked = await self._texts.marked(path)
        current = critic.accepted(marked)
        change: dict[str, object] = {"path": path, "frontmatter": properties}
        if content is not None:
            await self._refuse_part_read(path, by)
            base = self._readings.text(by.id, path)
            base = current if base is None else base
            text = compose.rewritten(base, content, properties)
            change = {"path": path, "base": base, "text": text}
        after = wanted(current, change)
        refuse_unwritable([Edit(0, 0, after)], after)
        made = revise.revised(marked, after)
        document = await self._authorship.ready(path)
        self._authorship.check(document, made, _suggester(by))
        summary = f"update {path}{_TOUCHES if made.count else ''}"
        return Wish("update", path, "update_note", change, summary, shown_change(marked, made.text))

    async def deletion(self, raw: str) -> Wish:
        """Wish that a note goes to the trash."""
        path = self._texts.find(raw)
        linking = await self._listing.links(path)
        backlinks = [source for source in linking.backlinks if source != path]
        waiting = len(critic.places(await self._readable(path)))
        warning = backlink_warning(backlinks, linking.hidden)
        what = f"delete {path} (it goes to the trash{lost_suggestions(waiting)}){warning}"
        return Wish("delete", path, "delete_note", {"path": path}, what)

    # -- suggestions of whole texts, as a working copy makes them

    async def suggest_text(self, raw: str, base: str, text: str, by: Asker) -> Json:
        """Suggest the change from `base` to `text` in a note as it stands now."""
        change = {"path": self._texts.find(raw), "base": base, "text": text}
        return await self._update(change, by, suggest=True)

    async def suggest_note(self, raw: str, text: str, by: Asker) -> Json:
        """Suggest a new note."""
        path = self._free(raw)
        refuse_unwritable([Edit(0, 0, text)], text)
        revise.refuse_markup(text)
        return await self._create({"path": path, "text": text}, by, suggest=True)

    # -- deeds

    async def create(
        self,
        raw: str,
        text: str,
        actor: str = "person",
        *,
        id: str | None = None,
        form: FileForm = FileForm(),  # noqa: B008 (frozen)
    ) -> str:
        """Write a new note, its folders as well; returns its path. A client may know its `id`."""
        self._notes.refuse_read_only()
        path = self._free(raw)
        refuse_unwritable([Edit(0, 0, text)], text)
        data = endings.encode(text, form, text)
        former = await self._notes.ids.recorded_id(path)
        try:
            await anyio.to_thread.run_sync(self._roots.create, path, data, uuid.uuid4().hex)
        except NotADirectoryError:
            raise Conflict(f"{paths.parent(path)} is not a folder. Choose another path.") from None
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {reason(error)}.") from error
        await self._record_creation(path, text, (former, id), actor)
        await self._indexing.follow([path])
        return path

    async def _record_creation(
        self, path: str, text: str, known: tuple[str | None, str | None], actor: str
    ) -> None:
        """Give the note its id and its first revision.

        `known` are the id of a note that was here before, and the one that a client wants.
        """
        ids, (former, wanted) = self._notes.ids, known
        if wanted is not None and await ids.recorded_id(path) in (None, former):
            await ids.place(wanted, path)  # else somebody has opened it meanwhile
        if (id := await self._notes.id_for_history(path)) is not None:
            self._notes.recorder.create(id, path, actor, Purpose("create"), text)

    async def delete(self, raw: str, who: str, actor: str = "") -> str:
        """Move a note to the trash; returns where it lies now."""
        self._notes.refuse_read_only()
        path = self._texts.find(raw)
        text = await self._readable(path)
        ends = await self._authorship.leaving(path, text, who)
        id = await self._notes.id_for_history(path)
        kept = await self._trash.put(path, who)
        if id is not None:
            actor = actor or f"person:{who}"
            self._notes.recorder.note(id, kept, actor, Purpose("delete"), text, was=path)
        await self._authorship.end(ends)
        return kept

    async def _create(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        text = str(change["text"])
        made = critic.suggest("", "", text) if suggest and text else None
        path = await self.create(
            str(change["path"]), made.text if made else text, actor=f"assistant:{by.name}"
        )
        if made:
            await self._authorship.record(path, "", made, _suggester(by), created=True)
        await self._believe(path, by, text)
        body = frontmatter.body(text)
        return {
            "path": path,
            "status": "suggested" if suggest else "created",
            "word_count": words.count(body),
            "char_count": len(body),
            **_respelt(str(change.get("asked", path)), path),
        }

    async def _update(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        path = self._texts.find_moved(str(change["path"]))
        write = revise.proposed if suggest else revise.revised
        authorship, author = self._authorship, _suggester(by)
        document = await authorship.ready(path)
        made = Suggested([], "", 0, 0)

        def plan(text: str) -> list[Edit]:
            nonlocal made  # its edits do not say which suggestions it ended
            after = wanted(critic.accepted(text), change)
            made = write(text, after, authorship.signature(author))
            authorship.check(document, made, author)
            refuse_other_than_shown(change, text, made.text)
            return made.edits

        edited = await self._notes.edit(path, plan, f"assistant:{by.name}")
        await authorship.record(path, edited.before, made, author)
        before = critic.accepted(edited.before)
        after = wanted(before, change)
        believed = str(change.get("text", after))
        await self._believe(path, by, believed)
        late = await self._notes.late_files([path])
        return {
            "path": path,
            "status": "suggested" if suggest or made.count else "updated",
            "changes": _changes(before, after),
            "word_count": words.count(frontmatter.body(after)),
            **({"file": "could not be written yet and will follow"} if late else {}),
        }

    async def _delete(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        path = self._texts.find(str(change["path"]))
        backlinks = await self._backlinks(path)
        await self.delete(path, by.name, f"assistant:{by.name}")
        return {
            "path": path,
            "status": "deleted",
            "had_backlinks": bool(backlinks),
            "backlink_count": len(backlinks),
        }

    # -- parts

    def _free(self, raw: str) -> str:
        """Check a path that a new note is to get."""
        path = self._roots.spelled(paths.new_note_path(raw))
        if self._roots.ignores(path):
            raise BadArgument(f"The vault's settings ignore {path}. Choose another path.")
        if self._roots.is_folder(path):
            raise Conflict(f"{path} is a folder. Choose another name.")
        key = paths.collision_key(path)
        near = [each.path for each in self._index.links.named(links.name_key(paths.stem(path)))]
        taken = next((each for each in near if paths.collision_key(each) == key), path)
        if self._roots.find(taken) is not None:
            raise Conflict(
                f"{taken} exists already, and create never overwrites. Choose another name, or"
                " change the note that is there."
            )
        return path

    async def _refuse_part_read(self, path: str, by: Asker) -> None:
        """Refuse a text in whose place something stands that the assistant was not shown."""
        lines = self._readings.cut_lines(by.id, path)
        if lines is None:  # another connection of it may have read the note
            await self._cuts.refuse(assistant_of(by.id, by.name), path)
        elif lines:
            raise PartRead(path, lines)

    async def _believe(self, path: str, by: Asker, text: str) -> None:
        """Take note that the assistant knows all of a text that it has written."""
        self._readings.believe(by.id, path, text, time.time())
        await self._cuts.put(assistant_of(by.id, by.name), path, 0)

    async def _backlinks(self, path: str) -> list[str]:
        return [source for source in (await self._listing.links(path)).backlinks if source != path]

    async def _readable(self, path: str) -> str:
        """Read a note's marked text; nothing of one that cannot be read."""
        try:
            return await self._texts.marked(path)
        except Unreadable:
            return ""


def _respelt(asked: str, path: str) -> dict[str, str]:
    """Tell that a folder is spelt otherwise than was asked."""
    notice = paths.spelling_notice(paths.parent(asked), paths.parent(path))
    return {"notice": notice} if notice else {}


def _suggester(by: Asker) -> Suggester:
    return Suggester(by.id, by.name)


def wanted(current: str, change: Json) -> str:
    """Return what a note shall say, after a change of kind `update`, that says `current` now."""
    if "text" in change:
        return compose.merged(str(change["base"]), current, str(change["text"]))
    properties = cast("Mapping[str, object]", change["frontmatter"])
    return compose.rewritten(current, None, properties)


def _changes(before: str, after: str) -> dict[str, bool]:
    (old_block, old_body), (new_block, new_body) = compose.parts(before), compose.parts(after)
    return {
        "content_updated": old_body != new_body,
        "frontmatter_updated": old_block != new_block,
    }
