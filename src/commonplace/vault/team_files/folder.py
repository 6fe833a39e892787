"""A folder taken into the store of a team's vault, and written out of it, with every byte kept.

What is hidden is left out, as a vault leaves it out, but for the trash; links are refused.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from commonplace.errors import Conflict, NotFound, Unreadable
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import RootFolder, stamp_of
from commonplace.vault.log.postgres_engine import schema_of
from commonplace.vault.postgres.connection import Connection, connect
from commonplace.vault.postgres.pool import Pool, reading
from commonplace.vault.settings import CONFIG_FILE, Root, Settings
from commonplace.vault.team_files.catch_up import steps
from commonplace.vault.team_files.differences import refuse_strange
from commonplace.vault.team_files.store import (
    FileStore,
    KeptFile,
    listed,
    read_contents,
    sha_of,
    sizes,
)
from commonplace.vault.team_files.synced_files import AGREED
from commonplace.vault.team_files.team_copy_files import (
    CONTENT_BYTES_MAX,
    FileReplacement,
    TeamCopyFiles,
    is_hidden,
    shown,
)

# To write what was read takes time, in which the database waits.
_PATIENCE_MS = 300_000


@dataclass(frozen=True, slots=True)
class TakenIn:
    """How many files were taken in, and how many hidden ones and hidden folders were not."""

    files: int
    hidden: int


async def take_in(store: FileStore, folder: Path) -> TakenIn:
    """Let the files of a folder be those of the vault.

    Links and whatever else is no file, or is too big, are refused before anything is changed.
    """
    source = _as_copy(folder)
    try:
        given, hidden = await anyio.to_thread.run_sync(_given, folder)
        known = {file.sha for file in (await store.listed()).values()}
        found: dict[bytes, KeptFile] = {}
        for step in steps(given, given.__getitem__):
            read = await anyio.to_thread.run_sync(lambda step=step: list(map(source.read, step)))
            hashed = [(there, sha_of(data), data) for data, there in read]
            fresh = [data for _, sha, data in hashed if sha not in known]
            if fresh:
                await store.put_contents(fresh)
            known |= {sha for _, sha, _ in hashed}
            for there, sha, _ in hashed:
                found[there.path] = KeptFile(sha, there.mode, there.stamp.mtime_ns)
        await store.replace_all(found)
        await store.sweep()
    finally:
        source.close()
    return TakenIn(len(found), hidden)


def write_out(url: str, vault: str, folder: Path) -> int:
    """Write all files of a vault, as they are at one moment, into a folder that is empty or new.

    Whoever owns the vault goes on meanwhile.
    """
    connection = connect(url, schema=schema_of(vault))
    try:
        connection.execute(f"SET idle_in_transaction_session_timeout TO {_PATIENCE_MS}")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return _write_all(connection, vault, folder)
    finally:
        connection.close()


def refuse_strange_folder(url: str, vault: str, settings: Settings) -> None:
    """Refuse, before a node waits for its turn, a folder that it could not have the vault in."""
    if (settings.state / AGREED).exists():
        return
    connection = connect(url, schema=schema_of(vault))
    try:
        files = listed(connection) if _has_files(connection) else {}
    finally:
        connection.close()
    if not files:
        return
    copy = TeamCopyFiles(settings)
    try:
        refuse_strange([each.path for each in copy.walk() if _differs(copy, each.path, files)])
    finally:
        copy.close()


def is_taken_in(source: str | Pool, vault: str) -> bool:
    """Tell whether the database has a vault: it was open on a node, or has files already.

    One whose first node could not take its folder in does not count: another would find it empty.
    """
    with reading(source, schema_of(vault)) as connection:
        opened = connection.execute("SELECT to_regclass('documents') IS NOT NULL").fetchone()
        if opened is not None and opened[0]:
            return True
        return _has_files(connection) and (
            connection.execute("SELECT 1 FROM files LIMIT 1").fetchone() is not None
        )


def config_text(source: str | Pool, vault: str) -> bytes | None:
    """Return what a vault's settings file says in the database; None if it is not there."""
    with reading(source, schema_of(vault)) as connection:
        if not _has_files(connection):
            return None
        row = connection.execute(
            "SELECT data FROM files JOIN contents USING (sha) WHERE path = ?",
            (CONFIG_FILE.encode(),),
        ).fetchone()
    return None if row is None else bytes(row[0])


def _differs(copy: TeamCopyFiles, path: bytes, files: Mapping[bytes, KeptFile]) -> bool:
    return path not in files or sha_of(copy.read(path)[0]) != files[path].sha


def _has_files(connection: Connection) -> bool:
    row = connection.execute("SELECT to_regclass('files') IS NOT NULL").fetchone()
    return row is not None and row[0]


def _write_all(connection: Connection, vault: str, folder: Path) -> int:
    if not _has_files(connection):
        raise NotFound(f"The database has no files of a vault {vault!r}. Check its name.")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Conflict("The folder is not empty. Name one that is, or that does not exist yet.")
    files = listed(connection)
    bytes_of = sizes(connection, list({file.sha for file in files.values()}))
    target = _as_copy(folder)
    try:
        for step in steps(files, lambda path: bytes_of.get(files[path].sha, 0)):
            contents = read_contents(connection, list({files[path].sha for path in step}))
            target.write_many(
                FileReplacement(path, files[path], contents[files[path].sha], None) for path in step
            )
    finally:
        target.close()
    return len(files)


def _as_copy(folder: Path) -> TeamCopyFiles:
    root = Root(folder.name or "folder", folder)
    return TeamCopyFiles(Settings((root,), folder))


def _given(folder: Path) -> tuple[dict[bytes, int], int]:
    """Find the files of a folder and their sizes, and count what is hidden."""
    disk = RootFolder(Root("folder", folder))
    found: dict[bytes, int] = {}
    hidden = 0
    try:
        for path, entry in _entries(disk.descriptor, ""):
            if is_hidden(path):
                hidden += 1
            elif not entry.is_file(follow_symlinks=False):
                raise Unreadable(f"{_shown(path)} is a link or no file at all: take it out first.")
            else:
                size = stamp_of(entry.stat(follow_symlinks=False)).size
                if size > CONTENT_BYTES_MAX:
                    most = CONTENT_BYTES_MAX // 1_000_000
                    raise Unreadable(f"{_shown(path)} has over {most} MB: take it out first.")
                found[os.fsencode(path)] = size
    finally:
        disk.close()
    return dict(sorted(found.items())), hidden


def _entries(top: int, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield everything beneath a folder but folders; one that is hidden is not looked into."""
    descriptor = open_beneath(top, folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(descriptor) as entries:
            found = list(entries)
            for entry in found:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False) and not is_hidden(path):
                    yield from _entries(top, path)
                else:
                    yield path, entry
    finally:
        os.close(descriptor)


def _shown(path: str) -> str:
    return repr(shown(os.fsencode(path)))
