"""A node that waits: its copy of the files and its index follow the owner's."""

import asyncio
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from commonplace.core.text.edits import Edit
from commonplace.server.cluster import standby
from commonplace.vault.files.writer import temporary
from commonplace.vault.index.updates import Updates
from commonplace.vault.postgres.pool import Pool
from commonplace.vault.team_files import standby as team_standby, store
from commonplace.vault.team_files.differences import find_all
from commonplace.vault.team_files.standby import StandbyCopy, StoreReader
from commonplace.vault.team_files.store import FileStore, KeptFile, sha_of
from tests.engines.postgres.node import make_node, take
from tests.engines.postgres.team_node import files_in, fill, owning, settings_of
from tests.engines.postgres.test_team_files import AFTER, FILES, filled, work
from tests.wait import eventually

pytestmark = pytest.mark.anyio


async def test_the_store_tells_what_changed_after_what_each_once(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "CHANGES_MAX", 2)
    monkeypatch.setattr(store, "_GONE_MAX", 0)
    with make_node(url) as node:
        files, reader = FileStore(url, take(node)), StoreReader(url, "team")
        kept = {path: KeptFile(sha_of(path)) for path in (b"a", b"b", b"c", b"d")}
        await files.change(kept, list(kept))
        # All of one change come together, or a copy could have half of a rename.
        last, found = await reader.changes(0)
        assert found == kept
        await files.change({b"a": None})
        assert await reader.changes(last) == (last + 1, {b"a": None})
        await files.replace_all({b"b": kept[b"c"]})
        _, found = await reader.changes(last + 1)
        assert found == {b"b": kept[b"c"], b"c": None, b"d": None}
        await files.sweep()
        _, found = await reader.changes(0)
        assert b"a" not in found  # it is gone for long enough
        await files.close()


@pytest.fixture
def waiting(url: str, tmp_path: Path) -> Generator[StandbyCopy]:
    """The copy of a node that has not had the vault yet."""
    settings = settings_of(tmp_path / "two")
    settings.state.mkdir()
    copy = StandbyCopy(url, "team", settings)
    yield copy
    copy.close()


async def test_a_waiting_copy_has_every_byte_after_each_kind_of_change(
    url: str, tmp_path: Path, waiting: StandbyCopy
) -> None:
    filled(tmp_path / "one")
    async with owning(url, tmp_path / "one") as vault:
        await waiting.bring_up_to_date()
        assert files_in(tmp_path / "two" / "notes") == FILES
        await work(vault)
        await vault.notes.queue.flush_all()
        changed = await waiting.bring_up_to_date()
        assert files_in(tmp_path / "two" / "notes") == AFTER
        # The control: what nobody changed was not looked at again.
        assert b"bom.md" not in changed
        assert await waiting.bring_up_to_date() == []


async def test_whoever_waited_so_finds_nothing_to_fetch_when_it_takes_over(
    url: str, tmp_path: Path, waiting: StandbyCopy
) -> None:
    filled(tmp_path / "one")
    async with owning(url, tmp_path / "one") as vault:
        await waiting.bring_up_to_date()
        await work(vault)
    _, listed = await waiting.store.listed()
    assert find_all(waiting, listed).fetch  # the control: before it looked again
    await waiting.bring_up_to_date()
    left = find_all(waiting, listed)
    assert left.fetch == left.remove == {}
    assert left.take_in == left.set_aside == []
    async with owning(url, tmp_path / "two") as vault:
        assert await vault.texts.marked("Folder/a cat.md") == "typed A cat sat.\nThe end."


async def test_a_file_that_is_replaced_while_it_is_fetched_comes_the_next_time(
    url: str, tmp_path: Path, waiting: StandbyCopy, monkeypatch: pytest.MonkeyPatch
) -> None:
    with make_node(url) as node:
        files = FileStore(url, take(node))
        await files.put_contents([b"1", b"2", b"other"])
        await files.change({b"a.md": KeptFile(sha_of(b"1")), b"b.md": KeptFile(sha_of(b"other"))})
        sizes = StoreReader.sizes

        async def replaced(self: StoreReader, shas: Sequence[bytes]) -> dict[bytes, int]:
            found = await sizes(self, shas)
            await files.change({b"a.md": KeptFile(sha_of(b"2"))}, unneeded=[sha_of(b"1")])
            return found

        with monkeypatch.context() as once:
            once.setattr(StoreReader, "sizes", replaced)
            await waiting.bring_up_to_date()
        notes = tmp_path / "two" / "notes"
        assert files_in(notes) == {b"b.md": b"other"}
        await waiting.bring_up_to_date()
        assert files_in(notes) == {b"a.md": b"2", b"b.md": b"other"}
        await files.close()


async def test_a_waiting_copy_keeps_its_files_when_very_many_vanish_from_the_database(
    url: str, tmp_path: Path, waiting: StandbyCopy
) -> None:
    many = {f"n{number}.md".encode(): b"a note\n" for number in range(60)}
    fill(tmp_path / "one" / "notes", many)
    ours = tmp_path / "two" / "notes"
    async with owning(url, tmp_path / "one"):
        await waiting.bring_up_to_date()
        with psycopg.connect(url) as connection:  # the control: a few that are gone, go
            connection.execute("DELETE FROM vault_team.files WHERE path IN ('n0.md', 'n1.md')")
        waiting._last = None
        await waiting.bring_up_to_date()
        assert len(files_in(ours)) == 58
        with psycopg.connect(url) as connection:
            connection.execute("DELETE FROM vault_team.files")
        waiting._last = None
        await waiting.bring_up_to_date()
        assert len(files_in(ours)) == 58


def leave(_: object) -> list[bytes]:
    return []


@pytest.mark.parametrize("careless", [False, True])
async def test_what_a_crash_left_of_ours_on_a_waiting_node_is_no_new_file(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, careless: bool
) -> None:
    if careless:  # the control
        monkeypatch.setattr(team_standby, "drop_our_spares", leave)
    filled(tmp_path / "one")
    settings, ours = settings_of(tmp_path / "two"), tmp_path / "two" / "notes"
    settings.state.mkdir()
    async with owning(url, tmp_path / "one") as vault:
        with closing(StandbyCopy(url, "team", settings)) as before:
            await before.bring_up_to_date()
        fill(ours, {temporary("0" * 32).encode(): FILES[b"a.md"]})
        fill(ours, {temporary("1" * 32).encode(): b"of another program\n"})
        with closing(StandbyCopy(url, "team", settings)) as after:
            for word in ("one ", "two "):
                await after.bring_up_to_date()
                await vault.notes.edit("a.md", lambda _, word=word: [Edit(0, 0, word)], "person:A")
                await vault.notes.queue.flush_all()
            await after.bring_up_to_date()
    async with owning(url, tmp_path / "two"):
        texts = [text for path, text in files_in(ours).items() if path.startswith(b"Recovered")]
    expected = [b"of another program\n", *([FILES[b"a.md"]] if careless else [])]
    assert sorted(texts) == sorted(expected)


async def test_what_programs_did_in_a_waiting_copy_is_left_for_its_turn(
    url: str, tmp_path: Path, waiting: StandbyCopy
) -> None:
    filled(tmp_path / "one")
    ours = tmp_path / "two" / "notes"
    async with owning(url, tmp_path / "one") as vault:
        await waiting.bring_up_to_date()
        fill(ours, {b"mine.md": b"of this machine\n", b"b.md": b"changed here\n"})
        await vault.write.create("theirs.md", "made\n")
        await vault.write.create("mine too.md", "made\n")
        await waiting.bring_up_to_date()
        here = files_in(ours)
        assert here[b"theirs.md"] == b"made\n"
        assert here[b"mine.md"] == b"of this machine\n"
        assert here[b"b.md"] == b"changed here\n"
    async with owning(url, tmp_path / "two") as vault:
        assert await vault.texts.marked("b.md") == "changed here\n"
        assert await vault.texts.marked("mine.md") == "of this machine\n"


def indexed(state: Path) -> set[str]:
    """The notes that an index has."""
    file = state / "index.db"
    if not file.exists():
        return set()
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return {path for (path,) in database.execute("SELECT path FROM notes")}


async def test_the_index_of_a_waiting_node_follows_and_the_vault_opens_with_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "one")
    settings = settings_of(tmp_path / "two")
    settings.state.mkdir()
    monkeypatch.setattr(standby, "_LOOK_SECONDS", 0.02)
    pool = Pool(url)
    async with owning(url, tmp_path / "one") as vault:
        waits = asyncio.create_task(standby.stand_by(settings, pool, "team"))
        await eventually(lambda: "b.md" in indexed(settings.state))
        await vault.write.create("later.md", "made\n")
        await eventually(lambda: "later.md" in indexed(settings.state))
        await vault.renames.rename("later.md", "last.md", "person:Ann")
        await eventually(lambda: {"last.md", "later.md"} & indexed(settings.state) == {"last.md"})
        waits.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waits
    pool.close()
    found = list[list[str] | None]()
    compare = Updates.compare

    def compared(self: Updates) -> list[str] | None:
        found.append(compare(self))
        return found[-1]

    monkeypatch.setattr(Updates, "compare", compared)
    for node in ("two", "three"):
        async with owning(url, tmp_path / node):
            pass
    assert found[0] == []
    assert found[1]  # the control: one that did not wait has everything to read
