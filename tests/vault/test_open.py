"""Opening and closing a vault, and what one that is only read refuses."""

import shutil
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Forbidden, Unavailable
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from commonplace.vault.suggestions.authorship import Suggester
from commonplace.vault.vault import Vault

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]
NOTE = "An {--old--}{++new++} coat.\n"
WRITES: dict[str, Callable[[Vault], Awaitable[object]]] = {
    "edit": lambda vault: vault.notes.edit("a.md", lambda _: [Edit(0, 0, "x")], "person:ana"),
    "move": lambda vault: vault.notes.move("a.md", "b.md"),
    "suggest": lambda vault: vault.suggestions.suggest("a.md", "coat", "hat", Suggester("x", "x")),
    "decide": lambda vault: vault.review.decide("accept", {"a.md": ["1"]}, "Ana"),
    "accept as": lambda vault: vault.review.accept_as("a.md", "1", "other", "Ana"),
    "undo a decision": lambda vault: vault.review.undo("none"),
    "rename": lambda vault: vault.renames.rename("a.md", "b.md", "person:ana"),
    "undo a rename": lambda vault: vault.renames.undo("none", "person:ana"),
    "create": lambda vault: vault.write.create("b.md", "x"),
    "delete": lambda vault: vault.write.delete("a.md", "Ana"),
    "restore": lambda vault: vault.trash.restore(".trash/a.md"),
}


@pytest.mark.parametrize("way", WRITES)
async def test_a_vault_that_is_only_read_refuses_every_way_to_write(
    make_settings: MakeSettings, way: str
) -> None:
    settings = make_settings({"a.md": NOTE}, read_only=True)
    folder = settings.roots[0].path
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
        with pytest.raises(Forbidden, match="read-only"):
            await WRITES[way](vault)
    assert {file.name: file.read_text() for file in folder.rglob("*.md")} == {"a.md": NOTE}


async def test_what_fails_inside_is_raised_as_it_is_and_everything_is_closed(
    make_settings: MakeSettings,
) -> None:
    opened: list[Vault] = []

    async def fail_inside() -> None:
        async with open_vault(make_settings({"a.md": "x\n"})) as vault:
            opened.append(vault)
            await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "typed ")], "person:ana")
            raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        await fail_inside()
    assert (opened[0].settings.roots[0].path / "a.md").read_text() == "typed x\n"
    with pytest.raises(Unavailable, match="closed"):
        await opened[0].log.records("any")


async def test_a_refresh_of_a_vault_that_nobody_follows_finds_what_an_earlier_run_indexed(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "otters\n"})
    async with open_vault(settings, follow=False) as vault:
        await vault.indexer.refresh()
    async with open_vault(settings, follow=False) as vault:
        assert not list(vault.contents.catalog.paths())
        await vault.indexer.refresh()
        assert list(vault.contents.catalog.paths()) == ["a.md"]
        assert [hit.path for hit in await vault.search.search("otters", 5)] == ["a.md"]


async def test_after_a_crash_the_first_answer_has_all_that_was_acknowledged(
    make_settings: MakeSettings, tmp_path: Path
) -> None:
    settings = make_settings({"a.md": "x\n"})
    (root,) = settings.roots
    after = tmp_path / "after"
    async with open_vault(settings) as vault:
        await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "typed ")], "person:ana")
        shutil.copytree(settings.state, after / "state")
        shutil.copytree(root.path, after / "vault")
    assert (after / "vault" / "a.md").read_text() == "x\n"
    crashed = replace(settings, roots=(replace(root, path=after / "vault"),), state=after / "state")
    async with open_vault(crashed) as vault:
        assert await vault.texts.marked("a.md") == "typed x\n"
