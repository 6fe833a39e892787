"""Recovery of a rename that a crash cut short: what another program wrote is never thrown away."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from commonplace.vault.files.reader import NOTE_BYTES_MAX
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.notes.rename_plan import RenamePlan
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from tests.vault.conftest import write
from tests.vault.faults.disks import lockable_folder

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]

KEY = "0" * 32


def spare_of(settings: Settings, path: str) -> Path:
    """Return the hidden file in which a rename leaves what it swapped out of a note."""
    part = hashlib.blake2b(path.encode(), digest_size=16).hexdigest()[:8]
    return (settings.roots[0].path / path).parent / f".{KEY}-{part}.commonplace"


def copies_of(settings: Settings, path: str) -> list[str]:
    """Read the conflict copies of a note, in the order in which they were made."""
    note = settings.roots[0].path / path
    found = sorted(note.parent.glob(f"{note.stem} (conflict *"), key=lambda each: len(each.name))
    assert all(each.suffix == note.suffix for each in found)
    return [each.read_text() for each in found]


def name_of_copy(path: str) -> str:
    stem, _, ending = path.rpartition(".")
    return f"{stem} (conflict {datetime.now(UTC).date().isoformat()}).{ending}"


async def cut_short(settings: Settings, *paths: str) -> None:
    """Leave the record of a rename from Old to New, made up to the links in these notes."""
    settings.state.mkdir(exist_ok=True)
    links = {path: {(False, "Old"): "New"} for path in paths}
    log = SqliteLog(settings.state / "live.db")
    await log.put_record("rename", KEY, RenamePlan("Old.md", "New.md", None, links).packed())
    await log.close()


async def recorded(settings: Settings) -> dict[str, str]:
    log = SqliteLog(settings.state / "live.db")
    try:
        return await log.records("rename")
    finally:
        await log.close()


@pytest.mark.parametrize("path", ["a.md", "sub/a.MD", f"{'ä' * 126}.md"])
async def test_what_came_out_of_a_swap_is_kept_when_the_name_of_its_copy_is_taken(
    make_settings: MakeSettings, path: str
) -> None:
    taken = {} if len(path) > 100 else {name_of_copy(path): "of this morning\n"}
    settings = make_settings({"New.md": "n", path: "[[New]]\n"} | taken)
    await cut_short(settings, path)
    spare_of(settings, path).write_text("saved by another program\n")
    async with open_vault(settings):
        pass
    assert (settings.roots[0].path / path).read_text() == "[[New]]\n"
    assert not spare_of(settings, path).exists()
    if taken:
        assert copies_of(settings, path) == ["of this morning\n", "saved by another program\n"]
    else:  # the name was too long to be made longer
        copy, *more = settings.roots[0].path.glob("ä*(conflict*")
        assert copy.read_text() == "saved by another program\n"
        assert not more


async def test_a_text_that_the_rename_accounts_for_leaves_no_copy(
    make_settings: MakeSettings,
) -> None:
    """The control: the text before the edit comes out of every swap, and is no conflict."""
    settings = make_settings({"New.md": "n", "a.md": "[[New]]\n"})
    await cut_short(settings, "a.md")
    spare_of(settings, "a.md").write_text("[[Old]]\n")
    async with open_vault(settings):
        pass
    assert copies_of(settings, "a.md") == []
    assert not spare_of(settings, "a.md").exists()


async def test_a_copy_that_cannot_be_made_stays_where_it_is_until_it_can(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"New.md": "n", "b.md": "[[Old]]\n"})
    folder = settings.roots[0].path
    await cut_short(settings, "sub/a.md", "b.md")
    with lockable_folder(folder / "sub") as locked:
        write(folder, {"sub/a.md": "[[Old]]\n"})
        spare_of(settings, "sub/a.md").write_text("saved by another program\n")
        with locked():
            async with open_vault(settings) as vault:
                await vault.indexer.settled()
                assert await vault.texts.accepted("New.md") == "n"
        assert (folder / "b.md").read_text() == "[[New]]\n"  # the others are not kept from it
        assert spare_of(settings, "sub/a.md").read_text() == "saved by another program\n"
        assert [*await recorded(settings)] == [KEY]
        async with open_vault(settings):
            pass
        assert copies_of(settings, "sub/a.md") == ["saved by another program\n"]
        assert (folder / "sub/a.md").read_text() == "[[New]]\n"
        assert not spare_of(settings, "sub/a.md").exists()
    assert await recorded(settings) == {}


async def test_a_copy_is_whole_even_if_it_is_larger_than_a_note_may_be(
    make_settings: MakeSettings,
) -> None:
    big = "saved by another program " * (NOTE_BYTES_MAX // 20)
    settings = make_settings({"New.md": "n", "a.md": "[[New]]\n"})
    await cut_short(settings, "a.md")
    spare_of(settings, "a.md").write_text(big)
    async with open_vault(settings):
        pass
    assert copies_of(settings, "a.md") == [big]
