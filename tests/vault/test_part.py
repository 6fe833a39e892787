"""A part of a vault: which of its parts know of nothing else, and which are the whole's."""

from dataclasses import fields
from pathlib import Path

import pytest

from commonplace.core.view import View
from commonplace.vault.open import open_vault
from commonplace.vault.part import part_of
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

# Each of these is asked with a path that was found in the part, by what it owns itself, or by
# routes that are closed to a token for folders. A part that is new in the vault belongs here only
# if that is true of it; else `part_of` has to make one over the view.
SHARED = {
    "settings",
    "log",
    "indexer",
    "folders",
    "suggestions",
    "authorship",
    "review",
    "ledger",
    "ends",
    "absence",
    "trash",
    "folder_changes",
    "tokens",
    "history",
    "intents",
    "recorder",
    "timeline",
    "undo",
    "withdrawal",
    "comments",
}


async def test_every_part_that_tells_of_notes_is_made_anew(tmp_path: Path) -> None:
    top = tmp_path / "vault"
    (top / "Open").mkdir(parents=True)
    (top / "Open/a.md").write_text("a\n")
    (top / "b.md").write_text("b\n")
    settings = Settings((Root("vault", top),), tmp_path / "state")
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        async with part_of(vault, View.of(["Open"])) as part:
            same = {
                field.name
                for field in fields(Vault)
                if getattr(part, field.name) is getattr(vault, field.name)
            }
            assert same == SHARED
            assert [entry.path for entry in await part.listing.newest()] == ["Open/a.md"]
            assert part.reader.readings is vault.reader.readings
        listeners = len(vars(vault.contents)["_listeners"])
        async with part_of(vault, View.of(["Open"])):
            assert len(vars(vault.contents)["_listeners"]) > listeners
        assert len(vars(vault.contents)["_listeners"]) == listeners
