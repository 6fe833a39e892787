"""Wishes to change nodes that a database keeps as texts, and how they are granted.

What a person is shown, what is refused and what is merged is the same as over a vault. The deeds
check again, because minutes or days may lie between, and each is one step of the `Base`: whole or
not at all. There is no review of suggestions in a database, so the policy `suggest` means `ask`.
"""

import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

from commonplace.core import compose, frontmatter, paths
from commonplace.core.critic import revise
from commonplace.core.links import respell
from commonplace.core.render import listings
from commonplace.core.text import words
from commonplace.core.text.edits import Edit
from commonplace.core.text.unified_diff import unified
from commonplace.errors import BadArgument, Conflict, Forbidden, NotFound
from commonplace.vault.documents.changes import refuse_unwritable
from commonplace.vault.nodes.store import CONTENT_MAX
from commonplace.vault.notes.preview import backlink_warning, shown_text
from commonplace.vault.notes.rename_plan import rename_summary
from commonplace.vault.notes.write import wanted
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker, Json, Wish
from commonplace.vault.suggestions.read_guard import Readings

RECENT_MAX = 50


class Base(Protocol):
    """Texts by id; each write is whole or not at all, and has been made when it returns."""

    async def found(self, id: str) -> str | None:
        """Return a text; None if there is none of that id."""
        ...

    async def taken(self, key: str) -> str | None:
        """Return the id whose `paths.collision_key` this is."""
        ...

    async def near(self, id: str) -> Sequence[str]:
        """Return ids that may have been meant."""
        ...

    async def linking(self, id: str) -> Sequence[str]:
        """Return the ids of the nodes that link to one."""
        ...

    async def create(self, id: str, text: str) -> None:
        """Add a text; Conflict if its id is taken."""
        ...

    async def change(self, id: str, change: Json) -> tuple[str, str]:
        """Put what `changing.wanted` makes of a text in its place; returns both."""
        ...

    async def delete(self, id: str) -> None:
        """Take a text out; NotFound if there is none."""
        ...

    async def rename(self, id: str, to: str, title: str) -> list[str]:
        """Give a node another id and title, and its links with it; returns those left."""
        ...


class NodeWishes:
    """The texts of a `Base`, as `NodeWriting` asks them."""

    def __init__(self, base: Base, where: str, *, read_only: bool = False) -> None:
        """Take the texts; `where` tells the wishes for them from those for another store."""
        self._base = base
        self._where = where
        self._read_only = read_only
        self._recent: OrderedDict[str, str] = OrderedDict()
        self.readings = Readings()

    def teach(self, permissions: Permissions) -> None:
        """Say how each kind of change is made."""
        deeds = {
            "create": self._create,
            "update": self._update,
            "delete": self._delete,
            "rename": self._rename,
        }
        for operation, deed in deeds.items():
            permissions.teach(self._kind(operation), deed, suggests=False)

    # -- reading

    async def find(self, raw: str) -> str:
        """Return the id that `raw` names: exactly, or with `.md` added."""
        path = paths.note_path(raw)
        for candidate in (path, f"{path}.md"):
            if paths.has_note_suffix(candidate) and await self._base.found(candidate) is not None:
                return candidate
        near = paths.near(path, await self._base.near(path))
        raise listings.not_found(path, near)

    def lately(self, old: str) -> str | None:
        """Return where a node went that had this id a while ago."""
        return self._recent.get(old)

    async def text(self, path: str) -> str:
        """Return a text; NotFound if it is gone."""
        found = await self._base.found(path)
        if found is None:
            raise NotFound(f"Document not found: {path}")
        return found

    def show(self, id: str, text: str, reader: Asker) -> None:
        """Take note that a reader was shown a text, of which an answer may hold the start alone."""
        self.readings.remember(reader.id, id, text, time.time())
        if len(frontmatter.body(text)) <= CONTENT_MAX:
            self.readings.show_all(reader.id, id)

    # -- wishes

    async def creation(self, raw: str, content: str, properties: Json | None) -> Wish:
        """Wish for a new node."""
        path = paths.new_note_path(raw)
        if (taken := await self._base.taken(paths.collision_key(path))) is not None:
            raise Conflict(exists(taken))
        text = compose.composed(content, properties)
        _refuse(text)
        size = f"{len(text.encode()):,} bytes, {words.count(text):,} words"
        shown = shown_text(text)
        change = {"path": path, "text": text}
        return self._wish("create", path, change, f"create {path} ({size})", shown)

    async def revision(
        self, raw: str, content: str | None, properties: Json | None, by: Asker
    ) -> Wish:
        """Wish for another text of a node, as seen from what the asker has read of it."""
        path = await self.find(raw)
        current = await self.text(path)
        change: dict[str, object] = {"path": path, "frontmatter": properties}
        if content is not None:
            if self.readings.cut_lines(by.id, path):
                raise Forbidden(
                    f"{path} is longer than what get_node shows of it, so the content would cut it"
                    " off. Put what is new into a node of its own, and link to it."
                )
            base = self.readings.text(by.id, path)
            base = current if base is None else base
            text = compose.rewritten(base, content, properties)
            change = {"path": path, "base": base, "text": text}
        after = wanted(current, change)
        _refuse(after, current)
        return self._wish("update", path, change, f"update {path}", unified(current, after))

    async def deletion(self, raw: str) -> Wish:
        """Wish that a node goes."""
        path = await self.find(raw)
        linking = [each for each in await self._base.linking(path) if each != path]
        what = f"delete {path} (it goes to the trash){backlink_warning(linking)}"
        return self._wish("delete", path, {"path": path}, what)

    async def renaming(self, path: str, to: str, title: str) -> Wish:
        """Wish for another id and title of a node."""
        to = await self._free(path, to)
        linking = len(await self._base.linking(path))
        change = {"path": path, "to": to, "title": title}
        return self._wish("rename", path, change, rename_summary(path, to, linking))

    # -- deeds

    async def _create(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        self._refuse_read_only()
        path, text = str(change["path"]), str(change["text"])
        await self._base.create(path, text)
        self.readings.believe(by.id, path, text, time.time())
        return {"path": path}

    async def _update(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        self._refuse_read_only()
        path = str(change["path"])
        if await self._base.found(path) is None:
            path = self.lately(path) or path
        _, after = await self._base.change(path, change)
        self.readings.believe(by.id, path, str(change.get("text", after)), time.time())
        return {"path": path}

    async def _delete(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        self._refuse_read_only()
        await self._base.delete(str(change["path"]))
        return {"path": change["path"]}

    async def _rename(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        self._refuse_read_only()
        path, title = str(change["path"]), str(change["title"])
        to = await self._free(path, str(change["to"]))
        left = await self._base.rename(path, to, title)
        if to != path:
            self._recent[path] = to
            self._recent.pop(to, None)
            while len(self._recent) > RECENT_MAX:
                self._recent.popitem(last=False)
        return {"path": to, "left": left}

    # -- parts

    async def _free(self, old: str, new: str) -> str:
        """Refuse an id that the node cannot have; returns it in canonical form."""
        new = paths.new_note_path(new)
        if any(character in paths.stem(new) for character in respell.UNLINKABLE):
            raise BadArgument(f"A note's name cannot hold any of {respell.UNLINKABLE} in it.")
        key = paths.collision_key(new)
        taken = None if key == paths.collision_key(old) else await self._base.taken(key)
        if taken is not None:
            raise Conflict(f"{taken} exists already. Choose another name.")
        return new

    def _wish(self, operation: str, path: str, change: Json, summary: str, diff: str = "") -> Wish:
        assert operation in ("create", "update", "delete", "rename")
        return Wish(operation, path, self._kind(operation), change, summary, diff)

    def _kind(self, operation: str) -> str:
        return f"{operation} of a node in {self._where}"

    def _refuse_read_only(self) -> None:
        if self._read_only:
            raise Forbidden("This store was opened read-only; nothing is changed.")


def exists(id: str) -> str:
    """Say that an id is taken."""
    return (
        f"{id} exists already, and create never overwrites. Choose another name, or change the"
        " note that is there."
    )


def _refuse(text: str, before: str = "") -> None:
    refuse_unwritable([Edit(0, 0, text)], text)
    revise.refuse_markup(text, before)
