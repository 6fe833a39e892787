"""Nodes created, updated and deleted as notes, each a wish that a person, or a policy, permits.

An update of both text and title is two wishes, because a rename has a policy of its own. A call
that comes again after the first of them was granted finds nothing left to do there and goes on to
the second.
"""

from functools import partial
from typing import cast

from commonplace.core import frontmatter, markdown, naming, paths
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.vault.permissions import Permissions
from commonplace.vault.store import Draft, Revision, Updated
from commonplace.vault.vault import RENAME, Vault
from commonplace.vault.wishes import Asker, Json, Prepare, Wish


class _Unchanged(CommonplaceError):
    """There is nothing left to do."""


class NodeWriting:
    """Writes nodes as notes."""

    def __init__(self, vault: Vault, permissions: Permissions) -> None:
        self._vault = vault
        self._permissions = permissions

    async def create(self, draft: Draft, by: Asker) -> str:
        """Create a note; returns its path."""
        given = {"title": draft.title, "content": draft.content, "tags": [*draft.tags]}
        given["directory"] = draft.group
        wish = partial(self._creation, draft)
        return _path(await self._permissions.ask("create_node", given, by, wish))

    async def update(self, id: str, revision: Revision, by: Asker) -> Updated:
        """Change a note's text, then its name."""
        tags = None if revision.tags is None else [*revision.tags]
        given: dict[str, object] = {"id": id, "content": revision.content, "tags": tags}
        notices: list[str] = []
        path = id
        if revision.content is not None or tags is not None:
            wish = partial(self._revision, id, revision, by)
            path = await self._done("update_node", given, by, wish) or self._lately(id)
        if revision.title is not None:
            given |= {"title": revision.title}
            wish = partial(self._renaming, path, revision.title)
            result = await self._result("update_node title", given, by, wish)
            notices = [f"Link left as it was, {each}" for each in _left(result)]
            path = self._lately(path) if result is None else _path(result)
        return Updated(path, tuple(notices))

    async def delete(self, id: str, by: Asker) -> bool:
        """Move a note to the trash."""
        wish = partial(self._vault.changing.deletion, id)
        try:
            await self._permissions.ask("delete_node", {"id": id}, by, wish)
        except (NotFound, BadArgument):
            return False
        return True

    # -- wishes

    async def _creation(self, draft: Draft) -> Wish:
        name = f"{naming.slug(draft.title)}.md"
        path = f"{paths.folder_path(draft.group)}/{name}".lstrip("/")
        properties = _properties(draft, paths.stem(name))
        content = draft.content
        if frontmatter.split(content) is not None:
            content = frontmatter.replace(
                content, {**frontmatter.read(content).properties, **properties}
            )
            properties = {}
        try:
            return await self._vault.changing.creation(path, content, properties or None)
        except NotFound as error:
            raise BadArgument(str(error)) from error

    async def _revision(self, id: str, revision: Revision, by: Asker) -> Wish:
        path = self._lately(id)
        text = await self._vault.text(path)
        properties = None
        if revision.tags is not None:
            found = frontmatter.read(text).properties
            kept = {key: value for key, value in found.items() if key.lower() != "tag"}
            properties = {**kept, "tags": [*revision.tags]}
            if not revision.tags:
                del properties["tags"]
        wish = await self._vault.changing.revision(path, revision.content, properties, by.id)
        if not wish.diff:
            raise _Unchanged
        return wish

    async def _renaming(self, id: str, title: str) -> Wish:
        path = self._lately(id)
        stem = paths.stem(path)
        text = await self._vault.text(path)
        name = naming.in_the_style_of(stem, title)
        to = f"{paths.parent(path)}/{name}.md".lstrip("/")
        scanned, properties = markdown.scan(text), frontmatter.read(text).properties
        if to == path and markdown.title(scanned, properties, stem) == title:
            raise _Unchanged
        self._vault.renaming.check(path, to)
        linking = len((await self._vault.listing.links(path)).backlinks)
        count = "1 note that links" if linking == 1 else f"{linking} notes that link"
        summary = f"rename {path} to {to} (in the {count} to it the links follow)"
        return Wish("rename", path, RENAME, {"path": path, "to": to, "title": title}, summary)

    # -- parts

    def _lately(self, id: str) -> str:
        """Find a note by its path, or by one that it had until a rename."""
        try:
            return self._vault.find(id)
        except NotFound:
            moved = self._vault.renaming.lately(id) or self._vault.renaming.lately(f"{id}.md")
            if moved is None:
                raise
            return self._vault.find(moved)

    async def _done(self, tool: str, given: Json, by: Asker, wish: Prepare) -> str | None:
        result = await self._result(tool, given, by, wish)
        return None if result is None else _path(result)

    async def _result(self, tool: str, given: Json, by: Asker, wish: Prepare) -> Json | None:
        try:
            return await self._permissions.ask(tool, given, by, wish)
        except _Unchanged:
            return None


def _properties(draft: Draft, stem: str) -> dict[str, object]:
    """Return the properties that a new note needs, for it to have its title and tags."""
    found = frontmatter.read(draft.content).properties
    title = markdown.title(markdown.scan(draft.content), found, stem)
    properties: dict[str, object] = {} if title == draft.title else {"title": draft.title}
    return properties | ({"tags": [*draft.tags]} if draft.tags else {})


def _path(result: Json) -> str:
    return str(result["path"])


def _left(result: Json | None) -> list[str]:
    return cast("list[str]", (result or {}).get("left", []))
