"""State that somebody deletes while the vault is open: noticed, told, and mended if it can be."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import Unavailable
from commonplace.vault.open import open_vault
from commonplace.vault.search.ripgrep import Pattern
from commonplace.vault.settings import Settings
from commonplace.vault.vault import Vault
from tests.wait import empties, eventually

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]

NOTES = {f"n{n}.md": f"# Note {n}\n\nbees and [[n{n + 1}]]\n" for n in range(400)}


async def type_into(vault: Vault, path: str) -> None:
    await vault.notes.edit(path, lambda text: [Edit(0, 0, "typed ")], "person:ana")


async def test_nothing_is_acknowledged_into_a_log_that_was_deleted(
    make_settings: MakeSettings, tmp_path: Path
) -> None:
    settings = make_settings({"a.md": "a"})
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await type_into(vault, "a.md")
        settings.state.rename(tmp_path / "elsewhere")
        with pytest.raises(Unavailable, match="removed"):
            await type_into(vault, "a.md")
        assert any("log" in problem for problem in await vault.health.problems())
        (tmp_path / "elsewhere").rename(settings.state)
        await empties(vault.health.problems)
        await type_into(vault, "a.md")
    assert (settings.roots[0].path / "a.md").read_text() == "typed typed a"


async def test_nothing_is_acknowledged_into_a_log_that_was_replaced(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "a"})
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await type_into(vault, "a.md")
        (settings.state / "live.db").unlink()
        sqlite3.connect(settings.state / "live.db").close()
        (settings.state / "live.db").touch()
        with pytest.raises(Unavailable, match="removed or replaced"):
            await type_into(vault, "a.md")


def test_sqlite_itself_notices_nothing(tmp_path: Path) -> None:
    """The control: it commits to a file that has no name any more."""
    database = sqlite3.connect(tmp_path / "live.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE kept (value)")
    for file in tmp_path.iterdir():
        file.unlink()
    database.execute("INSERT INTO kept VALUES ('acknowledged')")
    assert not list(tmp_path.iterdir())
    database.close()


async def found(vault: Vault) -> tuple[int, int]:
    """Count the notes that grep and search find; none while they say to try again."""
    try:
        matches = await vault.search.grep(Pattern("bees"))
        return len(matches), len(await vault.search.search("bees", 100))
    except Unavailable:
        return 0, 0


async def test_texts_that_are_deleted_are_missed_although_a_note_changes_first(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody looks whether they are there before the index is written again."""
    monkeypatch.setattr("commonplace.vault.index.indexer.LOOK_SECONDS", 1_000.0)
    monkeypatch.setattr("commonplace.vault.index.indexer._RETRY_SECONDS", 0.05)
    settings = make_settings(NOTES)
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        for file in settings.state.glob("corpus-*"):
            file.unlink()
        (settings.roots[0].path / "new.md").write_text("bees are new\n")
        with suppress(Unavailable):
            await vault.indexer.update(["new.md"])

        async def all_there() -> bool:
            return (await found(vault))[0] == len(NOTES) + 1

        await eventually(all_there)


@pytest.mark.parametrize("names", [["index.db*", "corpus-*"], ["corpus-*"], ["index.db"]])
async def test_an_index_that_is_deleted_is_built_anew(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    monkeypatch.setattr("commonplace.vault.index.indexer.LOOK_SECONDS", 0.05)
    settings = make_settings(NOTES)
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        before = await found(vault)
        assert before[0] == len(NOTES)
        for name in names:
            for file in settings.state.glob(name):
                file.unlink()
        (settings.roots[0].path / "new.md").write_text("bees are new\n")

        async def all_there() -> bool:
            return (await found(vault))[0] == len(NOTES) + 1 and not vault.listing.unfinished

        await eventually(all_there)
        await empties(vault.health.problems)
        assert (settings.state / "index.db").exists()
        assert list(settings.state.glob("corpus-*"))
        assert (await vault.listing.links("n5.md")).backlinks == ["n4.md"]
        await type_into(vault, "n5.md")
        await vault.renames.rename("n5.md", "other.md", "person:ana")
        assert "[[other]]" in await vault.texts.accepted("n4.md")
        assert [hit.path for hit in await vault.search.search("typed", 10)] == ["other.md"]
    async with open_vault(settings) as vault:  # what was built is what is opened next time
        await vault.indexer.settled()
        assert (await found(vault))[0] == len(NOTES) + 1
