"""Folders on disk that clients make and remove; only an empty one is ever removed."""

import os
from collections.abc import Generator
from contextlib import contextmanager

from commonplace.core import paths
from commonplace.errors import BadPath, Conflict, Unavailable
from commonplace.vault.files.openat import open_beneath
from commonplace.vault.files.reader import reason
from commonplace.vault.files.roots import Roots


def make(roots: Roots, path: str) -> None:
    """Make a folder, those above it as well."""
    paths.new_note_path(f"{path}/note.md")
    if paths.has_note_suffix(path):
        raise BadPath(f"{path} is called like a note. Choose another name for the folder.")
    disk, inside = roots.at(path)
    made = ""
    for part in inside.split("/"):
        with _opened(disk.descriptor, made) as above:
            try:
                os.mkdir(part, dir_fd=above)
                os.fsync(above)
            except FileExistsError:
                pass  # what is there is found out by opening it
            except OSError as error:
                raise Unavailable(f"{path} cannot be made: {reason(error)}.") from error
        made = f"{made}/{part}" if made else part
    if not roots.is_folder(path):
        raise Conflict(f"{path} exists already and is no folder.")


def remove(roots: Roots, path: str) -> None:
    """Remove a folder that is empty; Conflict if it is not."""
    disk, inside = roots.at(path)
    with _opened(disk.descriptor, paths.parent(inside)) as above:
        try:
            os.rmdir(inside.rpartition("/")[2], dir_fd=above)
            os.fsync(above)
        except OSError as error:
            raise Conflict(f"{path} cannot be removed: {reason(error)}.") from error


@contextmanager
def _opened(top: int, folder: str) -> Generator[int]:
    try:
        descriptor = open_beneath(top, folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise Unavailable(f"{folder} cannot be opened: {reason(error)}.") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)
