"""A folder taken into the store of a team's vault, and written out of it, with every byte kept."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import anyio.to_thread

from commonplace.errors import Conflict, Unavailable, Unreadable
from commonplace.vault.team_files.store import FileStore, KeptFile, sha_of

STEP_BYTES_MAX = 4 * 1024 * 1024
STEP_FILES_MAX = 200


async def take_in(store: FileStore, folder: Path) -> int:
    """Let the files of a folder be those of the vault; return how many there are.

    Symbolic links and whatever else is no file are refused before anything is changed.
    """
    known = {file.sha for file in (await store.listed()).values()}
    found: dict[bytes, KeptFile] = {}
    for step in await anyio.to_thread.run_sync(lambda: list(_steps(folder))):
        read = await anyio.to_thread.run_sync(_read_all, folder, step)
        fresh = [data for _, file, data in read if file.sha not in known]
        if fresh:
            await store.put_contents(fresh)
        known |= {file.sha for _, file, _ in read}
        found |= {path: file for path, file, _ in read}
    await store.replace_all(found)
    await store.sweep()
    return len(found)


async def write_out(store: FileStore, folder: Path) -> int:
    """Write all files of the vault into a folder that is empty, or not there yet."""
    await anyio.to_thread.run_sync(_prepare, folder)
    files = await store.listed()
    for path, file in files.items():
        data = await store.content(file.sha)
        if sha_of(data) != file.sha:
            raise Unavailable("A content in the database is damaged: restore it from a backup.")
        await anyio.to_thread.run_sync(_write, folder, path, file, data)
    return len(files)


def _steps(folder: Path) -> Iterator[list[bytes]]:
    """Share the files out to steps of bounded size."""
    step: list[bytes] = []
    size = 0
    for path, length in sorted(_walk(os.fsencode(folder), b"")):
        if step and (size + length > STEP_BYTES_MAX or len(step) >= STEP_FILES_MAX):
            yield step
            step, size = [], 0
        step.append(path)
        size += length
    if step:
        yield step


def _walk(folder: bytes, inside: bytes) -> Iterator[tuple[bytes, int]]:
    with os.scandir(os.path.join(folder, inside)) as entries:
        found = list(entries)
    for entry in found:
        path = os.path.join(inside, entry.name)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder, path)
        elif entry.is_file(follow_symlinks=False):
            yield path, entry.stat(follow_symlinks=False).st_size
        else:
            raise Unreadable(
                f"{os.fsdecode(path)!r} is a link or no file at all: take it out first."
            )


def _read_all(folder: Path, paths: list[bytes]) -> list[tuple[bytes, KeptFile, bytes]]:
    return [_read(os.fsencode(folder), path) for path in paths]


def _read(folder: bytes, path: bytes) -> tuple[bytes, KeptFile, bytes]:
    handle = os.open(os.path.join(folder, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        data = file.read()
    return path, KeptFile(sha_of(data), stat.S_IMODE(found.st_mode), found.st_mtime_ns), data


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Conflict("The folder is not empty. Name one that is, or that does not exist yet.")


def _write(folder: Path, path: bytes, file: KeptFile, data: bytes) -> None:
    target = os.path.join(os.fsencode(folder), path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
        os.fchmod(handle, file.mode)
    os.utime(target, ns=(file.mtime_ns, file.mtime_ns))
