"""The `notes` family, what writes: each tool a wish that a person, or a policy, permits."""

from collections.abc import Mapping
from functools import partial
from typing import cast

from commonplace.tools.notes_reading import Arguments, answer
from commonplace.tools.parameters import text
from commonplace.tools.table import Answer, Call
from commonplace.vault.permissions import Permissions
from commonplace.vault.vault import Vault


class Writing:
    """The tools that write, over one vault and under one front end's policies."""

    def __init__(self, vault: Vault, permissions: Permissions) -> None:
        self._changing = vault.changing
        self._permissions = permissions

    async def create_note(self, call: Call, arguments: Arguments) -> Answer:
        """Create a note."""
        wish = partial(
            self._changing.creation,
            text(arguments, "path"),
            text(arguments, "content"),
            _properties(arguments),
        )
        return answer(await self._permissions.ask("create_note", arguments, call.asker, wish))

    async def update_note(self, call: Call, arguments: Arguments) -> Answer:
        """Update a note."""
        content = text(arguments, "content") if "content" in arguments else None
        wish = partial(
            self._changing.revision,
            text(arguments, "path"),
            content,
            _properties(arguments),
            call.actor.id,
        )
        return answer(await self._permissions.ask("update_note", arguments, call.asker, wish))

    async def delete_note(self, call: Call, arguments: Arguments) -> Answer:
        """Delete a note."""
        wish = partial(self._changing.deletion, text(arguments, "path"))
        return answer(await self._permissions.ask("delete_note", arguments, call.asker, wish))


def _properties(arguments: Arguments) -> Mapping[str, object] | None:
    return cast("Mapping[str, object] | None", arguments.get("frontmatter"))
