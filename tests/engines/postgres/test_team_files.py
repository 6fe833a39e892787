"""Nodes of a team, each with a folder of its own: the database has every byte of every file."""

import asyncio
import errno
import itertools
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from commonplace.core.text.edits import Edit
from commonplace.errors import CommonplaceError, Conflict, Unavailable
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.log.postgres_engine import PostgresEngine
from commonplace.vault.team_files import team_copy_files
from commonplace.vault.team_files.folder import write_out
from commonplace.vault.team_files.follow import Follower
from commonplace.vault.team_files.store import KeptFile, sha_of
from commonplace.vault.team_files.team_copy import TeamCopy
from commonplace.vault.vault import Vault
from tests.engines.postgres.node import HeldLease
from tests.engines.postgres.team_node import end_lease, files_in, fill, owning
from tests.wait import PATIENCE, eventually, holds

pytestmark = pytest.mark.anyio

FILES = {
    b"a.md": b"A cat sat.\r\nThe end.",
    b"b.md": b"See [[a]] and ![[picture.png]].\n",
    b"bom.md": b"\xef\xbb\xbfone\r\n",
    b"empty.md": b"",
    b"not text.md": b"\xff\xfe\x00 not text",
    b"not \xff a name.md": b"whatever\n",
    "日本/メモ.md".encode(): "知識の庭\n".encode(),
    b"Files/picture.png": bytes(range(256)) * 50,
    b"Files/empty.bin": b"",
    b"commonplace.toml": b"",
}


def filled(node: Path) -> Path:
    fill(node / "notes", FILES)
    return node / "notes"


def exported(url: str, folder: Path) -> dict[bytes, bytes]:
    write_out(url, "team", folder)
    return files_in(folder)


def rows(url: str) -> set[bytes]:
    with psycopg.connect(url) as connection:
        return {row[0] for row in connection.execute("SELECT path FROM vault_team.files")}


async def work(vault: Vault) -> None:
    """Change files in every way that there is."""
    await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "typed ")], "person:Ann")
    await vault.write.create("Folder/new.md", "made\n")
    await vault.write.create("gone.md", "thrown away\n")
    kept = await vault.trash.put("gone.md", "Ann")
    await vault.write.create("back.md", "thrown away, and back\n")
    await vault.trash.restore(await vault.trash.put("back.md", "Ann"))
    await vault.renames.rename("a.md", "Folder/a cat.md", "person:Ann")
    now = datetime.now(UTC)
    await vault.attachments.save("b.md", "sound.mp3", "audio/mpeg", b"\0sound", now)
    await vault.attachments.move("Files/picture.png", "Files/cat.png", "person:Ann")
    assert kept == ".trash/gone.md"


AFTER = {
    **{path: data for path, data in FILES.items() if path not in (b"a.md", b"Files/picture.png")},
    b"b.md": b"See [[a cat]] and ![[cat.png]].\n",
    b"Folder/a cat.md": b"typed A cat sat.\r\nThe end.",
    b"Folder/new.md": b"made\n",
    b".trash/gone.md": b"thrown away\n",
    b"back.md": b"thrown away, and back\n",
    b"sound.mp3": b"\0sound",
    b"Files/cat.png": FILES[b"Files/picture.png"],
}


async def test_a_node_with_an_empty_folder_takes_over_with_every_byte(
    url: str, tmp_path: Path
) -> None:
    """The owner is cut off without a word: the next one has what was acknowledged."""
    first = filled(tmp_path / "one")
    with suppress(Unavailable):  # what it would write at the end is refused
        async with owning(url, tmp_path / "one") as vault:
            await work(vault)
            end_lease(url)
            async with owning(url, tmp_path / "two") as other:
                assert await other.texts.marked("Folder/a cat.md") == "typed A cat sat.\nThe end."
                await other.notes.queue.flush_all()
                assert files_in(tmp_path / "two" / "notes") == AFTER
            assert exported(url, tmp_path / "out") == AFTER
            before = rows(url)
            with pytest.raises(CommonplaceError):
                await vault.write.create("late.md", "too late\n")
            with pytest.raises(CommonplaceError):
                await vault.renames.rename("empty.md", "late.md", "person:Ann")
            with pytest.raises(CommonplaceError):
                await vault.trash.put("empty.md", "Ann")
            assert rows(url) == before
            assert files_in(first).keys() >= {b"empty.md"}
            assert not files_in(first).keys() & {b"late.md", b".trash/empty.md"}


def do_nothing(*_: object) -> None:
    pass


async def test_without_a_fence_a_replaced_owner_writes_into_the_vault(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control."""
    filled(tmp_path / "one")
    with suppress(Unavailable):
        async with owning(url, tmp_path / "one") as vault:
            copy = vault.roots._backing_store
            assert isinstance(copy, TeamCopy)
            engine = copy.store._commits._engine
            assert isinstance(engine, PostgresEngine)
            # Others of this vault may hear that the lease is lost: the store must not.
            monkeypatch.setattr(engine, "_lease", HeldLease(0))
            monkeypatch.setattr(engine, "sever", do_nothing)
            monkeypatch.setattr(engine, "_guard", "BEGIN; SET LOCAL search_path TO vault_team")
            end_lease(url)
            async with owning(url, tmp_path / "two"):
                late = b"too late\n"
                await copy.store.change({b"late.md": KeptFile(sha_of(late))}, [late])
            assert b"late.md" in rows(url)


async def test_a_file_that_is_kept_after_the_answer_is_lost(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: who answers first, and lets the database have the file later."""
    filled(tmp_path / "one")
    later: list[object] = []

    @contextmanager
    def keep_later(self: TeamCopy, changes: object):
        yield
        later.append(changes)

    def look_away(self: Follower, hinted: object) -> None:
        pass

    with suppress(Unavailable):
        async with owning(url, tmp_path / "one") as vault:
            with monkeypatch.context() as careless:
                careless.setattr(TeamCopy, "change", keep_later)
                careless.setattr(Follower, "look", look_away)
                await vault.write.create("new.md", "acknowledged\n")
                end_lease(url)
            async with owning(url, tmp_path / "two") as other:
                assert later
                assert not other.notes.exists("new.md")


KILLS = [
    ("edit", "before", 1),
    ("edit", "after", 1),
    ("create", "before", 1),
    ("rename", "before", 1),
    ("rename", "after", 1),
    ("rename", "before", 2),
    ("delete", "after", 1),
]


@pytest.mark.parametrize(("action", "when", "number"), KILLS)
async def test_an_owner_killed_in_the_middle_leaves_all_or_nothing(
    url: str, tmp_path: Path, action: str, when: str, number: int
) -> None:
    filled(tmp_path / "one")
    command = [sys.executable, "-m", "tests.engines.postgres.team_node", url]
    command += [str(tmp_path / "one"), action, when, str(number)]
    killed = await asyncio.to_thread(subprocess.run, command, timeout=PATIENCE)
    assert killed.returncode == -signal.SIGKILL
    end_lease(url)
    async with owning(url, tmp_path / "two") as vault:
        await vault.notes.queue.flush_all()
        found = files_in(tmp_path / "two" / "notes")
    wanted = {
        "edit": [FILES | {b"a.md": b"typed " + FILES[b"a.md"]}],  # it was acknowledged
        "create": [FILES, FILES | {b"new.md": b"made\n"}],
        "rename": [FILES, renamed()],
        "delete": [FILES, without(b"a.md") | {b".trash/a.md": FILES[b"a.md"]}],
    }[action]
    assert found in wanted
    assert exported(url, tmp_path / "out") == found
    end_lease(url)
    async with owning(url, tmp_path / "one"):  # it comes back, and has no word of its own
        assert files_in(tmp_path / "one" / "notes") == found


def without(path: bytes) -> dict[bytes, bytes]:
    return {each: data for each, data in FILES.items() if each != path}


def renamed() -> dict[bytes, bytes]:
    after = b"See [[moved]] and ![[picture.png]].\n"
    return without(b"a.md") | {b"Folder/moved.md": FILES[b"a.md"], b"b.md": after}


async def test_what_programs_did_on_a_node_that_is_not_the_owner_is_kept(
    url: str, tmp_path: Path
) -> None:
    first = filled(tmp_path / "one")
    async with owning(url, tmp_path / "one"):
        pass
    (first / "b.md").write_bytes(b"saved here alone\n")
    (first / "bom.md").write_bytes(b"saved here too\n")
    (first / "made here.md").write_bytes(b"made here\n")
    (first / "empty.md").unlink()
    (first / "Files" / ".abc.commonplace").write_bytes(b"pushed out, and never seen\n")
    async with owning(url, tmp_path / "two") as vault:
        await vault.notes.edit("bom.md", lambda _: [Edit(0, 0, "elsewhere ")], "person:Ann")
        await vault.trash.put("a.md", "Ann")
    async with owning(url, tmp_path / "one") as vault:
        await vault.notes.queue.flush_all()
        found = files_in(first)
    day = datetime.now().astimezone().date().isoformat()
    assert found == without(b"a.md") | {
        b"b.md": b"saved here alone\n",
        b"bom.md": b"\xef\xbb\xbfelsewhere one\r\n",
        f"bom (conflict {day}).md".encode(): b"saved here too\n",
        b"made here.md": b"made here\n",
        b".trash/a.md": FILES[b"a.md"],
        f"Files/Recovered (conflict {day}).md".encode(): b"pushed out, and never seen\n",
    }
    assert exported(url, tmp_path / "out") == found


async def test_a_folder_that_was_never_a_copy_is_not_mixed_in(url: str, tmp_path: Path) -> None:
    filled(tmp_path / "one")
    async with owning(url, tmp_path / "one"):
        pass
    fill(tmp_path / "two" / "notes", {b"a.md": b"an older copy\n", b"diary.md": b"private\n"})
    with pytest.raises(Conflict, match="never a copy"):
        async with owning(url, tmp_path / "two"):
            pass
    assert exported(url, tmp_path / "out") == FILES


async def test_the_database_follows_what_programs_do_in_the_owners_folder(
    url: str, tmp_path: Path
) -> None:
    first = filled(tmp_path / "one")
    async with owning(url, tmp_path / "one") as vault:
        await vault.notes.edit("b.md", lambda _: [Edit(0, 0, "typed ")], "person:Ann")
        (first / "dropped.pdf").write_bytes(b"%PDF-")
        (first / "Files" / "picture.png").unlink()
        (first / "b.md").write_bytes(b"saved over it\n")
        await eventually(lambda: b"dropped.pdf" in rows(url))
        await eventually(lambda: b"Files/picture.png" not in rows(url))
        # What was typed is merged with it, if the program cannot have read that.
        await eventually(lambda: b"saved over it" in content(url, b"b.md"))
        await eventually(lambda: content(url, b"b.md") == (first / "b.md").read_bytes())


def content(url: str, path: bytes) -> bytes:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT data FROM vault_team.files JOIN vault_team.contents USING (sha)"
            " WHERE path = %s",
            (path,),
        ).fetchone()
    return row[0] if row else b""


async def test_a_copy_that_is_thrown_away_under_its_owner_empties_no_vault(
    url: str, tmp_path: Path
) -> None:
    many = {f"{number}.md".encode(): b"%d\n" % number for number in range(60)}
    first = fill(tmp_path / "one" / "notes", many)
    async with owning(url, tmp_path / "one") as vault:
        copy = vault.roots._backing_store
        assert isinstance(copy, TeamCopy)
        for number in range(40):
            (first / f"{number}.md").unlink()
        follower = Follower(copy, clock=itertools.count(0, 100).__next__)
        await asyncio.to_thread(follower.look, [b""])
        await asyncio.to_thread(follower.look, [b""])
        assert rows(url) == many.keys()
    async with owning(url, tmp_path / "two"):
        assert files_in(tmp_path / "two" / "notes") == many
    await holds(tmp_path / "two" / "notes" / "1.md", b"1\n")


async def test_what_a_file_held_before_does_not_stay_in_the_database(
    url: str, tmp_path: Path
) -> None:
    fill(tmp_path / "one" / "notes", {b"a.md": b"the secret\n"})
    async with owning(url, tmp_path / "one") as vault:
        await vault.notes.edit("a.md", lambda _: [Edit(4, 10, "")], "person:Ann")
        await vault.notes.queue.flush_all()
        await eventually(lambda: contents(url) == {b"the \n"})


def contents(url: str) -> set[bytes]:
    with psycopg.connect(url) as connection:
        return {row[0] for row in connection.execute("SELECT data FROM vault_team.contents")}


async def test_a_folder_that_cannot_be_read_counts_as_no_deletion(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside its control: one that is not there is one."""
    filled(tmp_path / "one")
    async with owning(url, tmp_path / "one") as vault:
        copy = vault.roots._backing_store
        assert isinstance(copy, TeamCopy)

        async def look_twice(code: int) -> None:
            def refuse(top: int, path: str, flags: int) -> int:
                if path.startswith("Files"):
                    raise OSError(code, os.strerror(code))
                return open_beneath(top, path, flags)

            with monkeypatch.context() as faulty:
                faulty.setattr(team_copy_files, "open_beneath", refuse)
                follower = Follower(copy, clock=itertools.count(0, 100).__next__)
                for hint in (b"", b"Files/picture.png"):
                    await asyncio.to_thread(follower.look, [hint])

        await look_twice(errno.EACCES)
        assert b"Files/picture.png" in rows(url)
        await look_twice(errno.ENOENT)
        assert b"Files/picture.png" not in rows(url)
