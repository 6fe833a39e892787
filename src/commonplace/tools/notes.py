"""The `notes` family: notes created, read, updated, deleted, listed and searched, in JSON.

What writes is a request that a person, or a policy, permits.
"""

from collections.abc import Mapping
from functools import partial
from typing import cast

from commonplace.errors import BadPattern, CommonplaceError, Denied
from commonplace.tools.notes_reading import Arguments, ReadingTools, answer
from commonplace.tools.parameters import text
from commonplace.tools.table import Answer, Call, Ready, Tool, definition, plain_error
from commonplace.vault.permissions.permissions import Permissions
from commonplace.vault.vault import Vault


def tools(vault: Vault, permissions: Permissions | None = None) -> list[Tool]:
    """Return the family's tools over one vault; the permissions default to the vault's own."""
    reading = ReadingTools(vault)
    writing = WritingTools(vault, permissions or vault.permissions)
    runs = (
        writing.create_note,
        reading.read_note,
        reading.read_metadata,
        writing.update_note,
        writing.delete_note,
        reading.list_notes,
        reading.text_search,
        reading.property_search,
        reading.get_kiln_info,
    )
    ready = vault.readiness
    needs: dict[str, Ready] = {
        "read_metadata": ready.indexed,
        "delete_note": ready.indexed,
        "list_notes": ready.indexed,
        "text_search": ready.searchable,
        "property_search": ready.indexed,
        "get_kiln_info": ready.indexed,
    }
    return [
        Tool(
            definition(run.__name__),
            "notes",
            writes=run.__self__ is writing,
            run=run,
            error_text=_error_text,
            ready=needs.get(run.__name__),
        )
        for run in runs
    ]


def _error_text(error: CommonplaceError) -> str:
    """Word an error as the contract does: a refusal stands by itself."""
    return str(error) if isinstance(error, Denied | BadPattern) else plain_error(error)


class WritingTools:
    """The tools that write, over one vault and under one front end's policies."""

    def __init__(self, vault: Vault, permissions: Permissions) -> None:
        self._write = vault.write
        self._permissions = permissions

    async def create_note(self, call: Call, arguments: Arguments) -> Answer:
        """Create a note."""
        wish = partial(
            self._write.creation,
            text(arguments, "path"),
            text(arguments, "content"),
            _properties(arguments),
        )
        return answer(await self._permissions.ask("create_note", arguments, call.asker, wish))

    async def update_note(self, call: Call, arguments: Arguments) -> Answer:
        """Update a note."""
        content = text(arguments, "content") if "content" in arguments else None
        wish = partial(
            self._write.revision,
            text(arguments, "path"),
            content,
            _properties(arguments),
            call.asker,
        )
        return answer(await self._permissions.ask("update_note", arguments, call.asker, wish))

    async def delete_note(self, call: Call, arguments: Arguments) -> Answer:
        """Delete a note."""
        wish = partial(self._write.deletion, text(arguments, "path"))
        return answer(await self._permissions.ask("delete_note", arguments, call.asker, wish))


def _properties(arguments: Arguments) -> Mapping[str, object] | None:
    return cast("Mapping[str, object] | None", arguments.get("frontmatter"))
