"""The `notes` family: notes created, read, updated, deleted, listed and searched, in JSON."""

from commonplace.errors import CommonplaceError
from commonplace.tools.notes_reading import Reading
from commonplace.tools.notes_writing import Writing
from commonplace.tools.table import Tool, definition, plain_error
from commonplace.vault.permissions import DENIED, Permissions
from commonplace.vault.vault import Vault


def tools(vault: Vault, permissions: Permissions | None = None) -> list[Tool]:
    """Return the family's tools over one vault; the permissions default to the vault's own."""
    reading = Reading(vault)
    writing = Writing(vault, permissions or vault.permissions)
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
    return [
        Tool(
            definition(run.__name__),
            "notes",
            writes=run.__self__ is writing,
            run=run,
            error_text=_error_text,
        )
        for run in runs
    ]


def _error_text(error: CommonplaceError) -> str:
    """Word an error as the contract does: a refusal stands by itself."""
    said = str(error)
    return said if said.startswith((DENIED, "Invalid regex pattern: ")) else plain_error(error)
