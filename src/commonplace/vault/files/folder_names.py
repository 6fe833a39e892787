"""How folders that are there are spelt, so that none gets a twin that differs by case alone."""

from commonplace.core import paths
from commonplace.vault.files.reader import RootFolder


def spelled(disk: RootFolder, folder: str) -> str:
    """Return a folder's path with the parts that are there spelt as they are on disk."""
    found = ""
    for part in folder.split("/") if folder else ():
        found = _below(disk, found, part)
    return found


def _below(disk: RootFolder, folder: str, name: str) -> str:
    """Return the subfolder that some file systems take for the one named, or that itself."""
    start = f"{folder}/" if folder else ""
    if disk.is_folder(start + name):
        return start + name
    key = paths.collision_key(name)
    like = [start + each for each in sorted(disk.names(folder)) if paths.collision_key(each) == key]
    return next(filter(disk.is_folder, like), start + name)
