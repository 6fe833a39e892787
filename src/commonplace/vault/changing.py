"""Notes created, rewritten and deleted, each as a wish first and then as a deed.

A wish (`creation`, `revision`, `deletion`) refuses what cannot be and says to a person what would
change. The deed checks again, because minutes or days may lie between. A rewritten note is merged:
the assistant's change is the one from the text that it read, made in the text as it stands now
through the one door, so nobody's words in between are lost, nor suggestions elsewhere.
"""

import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, cast

import anyio.to_thread

from commonplace.core import composing, critic, endings, links, paths, revising, words
from commonplace.core.critic import Suggestion
from commonplace.core.edits import Edit
from commonplace.core.endings import Form
from commonplace.core.unified import unified
from commonplace.errors import BadArgument, Conflict, Forbidden, Unavailable
from commonplace.vault.changes import Edited, Plan, refuse_unwritable
from commonplace.vault.disk import reason
from commonplace.vault.index import Index
from commonplace.vault.ledger import Credit
from commonplace.vault.listing import Listing
from commonplace.vault.permissions import Permissions
from commonplace.vault.review import Review
from commonplace.vault.roots import Roots
from commonplace.vault.shelf import Shelf
from commonplace.vault.trash import Indexing, Trash
from commonplace.vault.wishes import Asker, Json, Wish

SHOWN_LINES_MAX = 40
_NAMED_MAX = 5


class Notes(Protocol):
    """What is asked of the vault."""

    review: Review
    shelf: Shelf
    listing: Listing

    def find(self, raw: str) -> str: ...  # noqa: D102
    async def marked(self, path: str) -> str: ...  # noqa: D102
    async def edit(self, path: str, plan: Plan, actor: str) -> Edited: ...  # noqa: D102


class Changing:
    """Makes the changes that need a person's permission."""

    def __init__(
        self,
        notes: Notes,
        roots: Roots,
        indexing: Indexing,
        index: Index,
        trash: Trash,
        *,
        read_only: bool,
    ) -> None:
        self._notes = notes
        self._read_only = read_only
        self._roots = roots
        self._indexing = indexing
        self._index = index
        self.trash = trash

    def teach(self, permissions: Permissions) -> None:
        """Say how each kind of change is made."""
        permissions.teach("create_note", self._create)
        permissions.teach("update_note", self._update)
        permissions.teach("delete_note", self._delete, suggests=False)

    # -- wishes

    async def creation(self, raw: str, content: str, properties: Json | None) -> Wish:
        """Wish for a new note."""
        path = self._free(raw)
        text = composing.composed(content, properties)
        refuse_unwritable([Edit(0, 0, text)], text)
        revising.refuse_markup(text)
        size = f"{_counted(len(text.encode()), 'byte')}, {_counted(words.count(text), 'word')}"
        shown = unified("", text, lines_max=SHOWN_LINES_MAX)
        change = {"path": path, "text": text}
        return Wish("create", path, "create_note", change, f"create {path} ({size})", shown)

    async def revision(
        self, raw: str, content: str | None, properties: Json | None, actor: str
    ) -> Wish:
        """Wish for another text of a note, as seen from what the actor has read of it."""
        if content is None and properties is None:
            raise BadArgument("Give content, frontmatter, or both: there is nothing to update.")
        path = self._notes.find(raw)
        current = critic.accepted(await self._notes.marked(path))
        change: dict[str, object] = {"path": path, "frontmatter": properties}
        if content is not None:
            base = self._notes.review.readings.text(actor, path)
            base = current if base is None else base
            wanted = composing.rewritten(base, content, properties)
            change = {"path": path, "base": base, "text": wanted}
        after = _wanted(current, change)
        refuse_unwritable([Edit(0, 0, after)], after)
        revising.refuse_markup(after, current)
        return Wish(
            "update", path, "update_note", change, f"update {path}", unified(current, after)
        )

    async def deletion(self, raw: str) -> Wish:
        """Wish that a note goes to the trash."""
        path = self._notes.find(raw)
        backlinks = await self._backlinks(path)
        what = f"delete {path} (it goes to the trash)"
        return Wish("delete", path, "delete_note", {"path": path}, what + _warning(backlinks))

    # -- deeds

    async def create(self, raw: str, text: str) -> str:
        """Write a new note, its folders as well; returns its path."""
        self._refuse_read_only()
        path = self._free(raw)
        refuse_unwritable([Edit(0, 0, text)], text)
        data = endings.encode(text, Form(), "")
        try:
            await anyio.to_thread.run_sync(self._roots.create, path, data, uuid.uuid4().hex)
        except NotADirectoryError:
            raise Conflict(f"{paths.parent(path)} is not a folder. Choose another path.") from None
        except OSError as error:
            raise Unavailable(f"{path} cannot be written: {reason(error)}.") from error
        if not self._indexing.busy:
            await self._indexing.update([path])
        return path

    async def delete(self, raw: str, who: str) -> str:
        """Move a note to the trash; returns where it lies now."""
        self._refuse_read_only()
        return await self.trash.put(self._notes.find(raw), who)

    async def restore(self, trash: str) -> str:
        """Take a note back out of the trash; returns its path."""
        self._refuse_read_only()
        return await self.trash.restore(trash)

    async def _create(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        text = str(change["text"])
        written = critic.suggest("", "", text).text if suggest and text else text
        path = await self.create(str(change["path"]), written)
        if suggest:
            await self._credit(path, critic.suggestions(written), by)
        self._notes.review.readings.believe(by.id, path, text, time.time())
        return {
            "path": path,
            "status": "suggested" if suggest else "created",
            "word_count": words.count(text),
            "char_count": len(text),
        }

    async def _update(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        path = self._notes.find(str(change["path"]))
        write: Callable[[str, str], list[Edit]] = revising.proposed if suggest else revising.revised
        views: list[tuple[str, str]] = []
        known: set[str] = set()

        def plan(text: str) -> list[Edit]:
            before = critic.accepted(text)
            known.update(each.id for each in critic.suggestions(text))
            views.append((before, _wanted(before, change)))
            return write(text, views[-1][1])

        edited = await self._notes.edit(path, plan, f"assistant:{by.name}")
        before, after = views[-1]
        if suggest:
            made = [each for each in critic.suggestions(edited.text) if each.id not in known]
            await self._credit(path, made, by)
        believed = str(change.get("text", after))
        self._notes.review.readings.believe(by.id, path, believed, time.time())
        return {
            "path": path,
            "status": "suggested" if suggest else "updated",
            "changes": _changes(before, after),
            "word_count": words.count(after),
        }

    async def _delete(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        path = self._notes.find(str(change["path"]))
        backlinks = await self._backlinks(path)
        await self.delete(path, by.name)
        return {
            "path": path,
            "status": "deleted",
            "had_backlinks": bool(backlinks),
            "backlink_count": len(backlinks),
        }

    # -- parts

    def _refuse_read_only(self) -> None:
        if self._read_only:
            raise Forbidden("This vault was opened read-only; nothing is changed.")

    def _free(self, raw: str) -> str:
        """Check a path that a new note is to get."""
        path = paths.new_note_path(raw)
        self._roots.split(path)  # names a root that there is
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

    async def _backlinks(self, path: str) -> list[str]:
        return [
            source for source in (await self._notes.listing.links(path)).backlinks if source != path
        ]

    async def _credit(self, path: str, made: Iterable[Suggestion], by: Asker) -> None:
        """Say whose these suggestions are."""
        document = await self._notes.shelf.id_of(path)
        credit = Credit(by.id, by.name, time.time())
        await self._notes.review.ledger.credit_to(document, {each.id: credit for each in made})


def _wanted(current: str, change: Json) -> str:
    """Return what a note shall say that says `current` now."""
    if "text" in change:
        return composing.merged(str(change["base"]), current, str(change["text"]))
    properties = cast("Mapping[str, object]", change["frontmatter"])
    return composing.rewritten(current, None, properties)


def _changes(before: str, after: str) -> dict[str, bool]:
    (old_block, old_body), (new_block, new_body) = composing.parts(before), composing.parts(after)
    return {
        "content_updated": old_body != new_body,
        "frontmatter_updated": old_block != new_block,
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _warning(backlinks: list[str]) -> str:
    if not backlinks:
        return ". No other note links to it."
    count = "1 note links" if len(backlinks) == 1 else f"{len(backlinks)} notes link"
    more = ", …" if len(backlinks) > _NAMED_MAX else "."
    return f". {count} to it: {', '.join(backlinks[:_NAMED_MAX])}{more}"
