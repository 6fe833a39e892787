"""Nodes created, updated and deleted, each a wish that a person, or a policy, permits.

It works over whatever keeps Markdown texts by path (`NodeTextSource`): a vault, or a database.

An update of both text and title is two wishes, because a rename has a policy of its own. Where a
person has to be asked later, both wait at once. A call that comes again after the first of them was
granted finds nothing left to do there and goes on to the second.
"""

from contextlib import suppress
from functools import partial
from typing import Protocol, cast

from commonplace.core import file_names, frontmatter, markdown, paths
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.vault.nodes.store import NewNode, NodeUpdate, Updated
from commonplace.vault.permissions.approvals import Waiting
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.permissions.requests import Asker, Json, PrepareWish, Wish


class _Unchanged(CommonplaceError):
    """There is nothing left to do."""


class NodeTextSource(Protocol):
    """Texts by path, and the wishes to change them."""

    async def find(self, raw: str) -> str:
        """Return the path that `raw` names; NotFound if there is none."""
        ...

    def lately(self, old: str) -> str | None:
        """Return the path of what had this one until a rename."""
        ...

    async def text(self, path: str) -> str:
        """Return a text, frontmatter included."""
        ...

    async def creation(self, raw: str, content: str, properties: Json | None) -> Wish:
        """Wish for a new text; Conflict if the path is taken."""
        ...

    async def revision(
        self, raw: str, content: str | None, properties: Json | None, by: Asker
    ) -> Wish:
        """Wish for another text, as seen from what the asker has read."""
        ...

    async def deletion(self, raw: str) -> Wish:
        """Wish that a text goes; NotFound if there is none."""
        ...

    async def renaming(self, path: str, to: str, title: str) -> Wish:
        """Wish for another path and title; Conflict if the path is taken."""
        ...


class NodeWriter:
    """Writes nodes as texts."""

    def __init__(self, texts: NodeTextSource, permissions: Permissions) -> None:
        self._texts = texts
        self._permissions = permissions

    async def create(self, draft: NewNode, by: Asker) -> str:
        """Create a text; returns its path."""
        given = {"title": draft.title, "content": draft.content, "tags": [*draft.tags]}
        given["directory"] = draft.group
        wish = partial(self._creation, draft)
        return _path(await self._permissions.ask("create_node", given, by, wish))

    async def update(self, id: str, revision: NodeUpdate, by: Asker) -> Updated:
        """Change a text, then its name."""
        tags = None if revision.tags is None else [*revision.tags]
        given: dict[str, object] = {"id": id, "content": revision.content, "tags": tags}
        titled = given if revision.title is None else given | {"title": revision.title}
        notices: list[str] = []
        path = id
        if revision.content is not None or tags is not None:
            await self._check_title(id, revision.title)
            wish = partial(self._revision, id, revision, by)
            try:
                path = await self._done("update_node", given, by, wish) or await self._lately(id)
            except Waiting as waiting:
                raise await self._with_title(waiting, id, revision.title, titled, by) from None
        if revision.title is not None:
            wish = partial(self._renaming, path, revision.title)
            result = await self._result("update_node title", titled, by, wish)
            notices = [f"Link left as it was, {each}" for each in _left(result)]
            path = await self._lately(path) if result is None else _path(result)
        return Updated(path, tuple(notices))

    async def delete(self, id: str, by: Asker) -> bool:
        """Delete a text."""
        wish = partial(self._texts.deletion, id)
        try:
            await self._permissions.ask("delete_node", {"id": id}, by, wish)
        except (NotFound, BadArgument):
            return False
        return True

    # -- wishes

    async def _creation(self, draft: NewNode) -> Wish:
        name = f"{file_names.slug(draft.title.removesuffix('.md'))}.md"
        path = f"{paths.folder_path(draft.group)}/{name}".lstrip("/")
        properties = _properties(draft, paths.stem(name))
        content = draft.content
        if frontmatter.split(content) is not None:
            content = frontmatter.replace(
                content, {**frontmatter.read(content).properties, **properties}
            )
            properties = {}
        try:
            return await self._texts.creation(path, content, properties or None)
        except NotFound as error:
            raise BadArgument(str(error)) from error

    async def _revision(self, id: str, revision: NodeUpdate, by: Asker) -> Wish:
        path = await self._lately(id)
        text = await self._texts.text(path)
        properties = None
        if revision.tags is not None:
            found = frontmatter.read(text).properties
            kept = {key: value for key, value in found.items() if key.lower() != "tag"}
            properties = {**kept, "tags": [*revision.tags]}
            if not revision.tags:
                del properties["tags"]
        wish = await self._texts.revision(path, revision.content, properties, by)
        if not wish.diff:
            raise _Unchanged
        return wish

    async def _renaming(self, id: str, title: str) -> Wish:
        path = await self._lately(id)
        stem = paths.stem(path)
        text = await self._texts.text(path)
        name = file_names.in_the_style_of(stem, title)
        to = f"{paths.parent(path)}/{name}.md".lstrip("/")
        scanned, properties = markdown.scan(text), frontmatter.read(text).properties
        if to == path and markdown.title(scanned, properties, stem) == title:
            raise _Unchanged
        return await self._texts.renaming(path, to, title)

    # -- parts

    async def _check_title(self, id: str, title: str | None) -> None:
        """Refuse a title that cannot be before anything is done about the text.

        A node that is not there may have been renamed by this very call when it came before.
        """
        with suppress(_Unchanged, NotFound):
            if title is not None:
                await self._renaming(id, title)

    async def _with_title(
        self, waiting: Waiting, id: str, title: str | None, given: Json, by: Asker
    ) -> Waiting:
        """Let a new title wait beside the text, if a person has to be asked of it."""
        if title is None:
            return waiting
        wish = partial(self._renaming, id, title)
        with suppress(_Unchanged):
            beside = await self._permissions.park("update_node title", given, by, wish)
            return waiting if beside is None else Waiting(*waiting.writes, beside)
        return waiting

    async def _lately(self, id: str) -> str:
        """Find a text by its path, or by one that it had until a rename."""
        try:
            return await self._texts.find(id)
        except NotFound:
            moved = self._texts.lately(id) or self._texts.lately(f"{id}.md")
            if moved is None:
                raise
            return await self._texts.find(moved)

    async def _done(self, tool: str, given: Json, by: Asker, wish: PrepareWish) -> str | None:
        result = await self._result(tool, given, by, wish)
        return None if result is None else _path(result)

    async def _result(self, tool: str, given: Json, by: Asker, wish: PrepareWish) -> Json | None:
        try:
            return await self._permissions.ask(tool, given, by, wish)
        except _Unchanged:
            return None


def _properties(draft: NewNode, stem: str) -> dict[str, object]:
    """Return the properties that a new note needs, for it to have its title and tags."""
    found = frontmatter.read(draft.content).properties
    title = markdown.title(markdown.scan(draft.content), found, stem)
    properties: dict[str, object] = {} if title == draft.title else {"title": draft.title}
    return properties | ({"tags": [*draft.tags]} if draft.tags else {})


def _path(result: Json) -> str:
    return str(result["path"])


def _left(result: Json | None) -> list[str]:
    return cast("list[str]", (result or {}).get("left", []))
