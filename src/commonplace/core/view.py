"""The part of a vault that somebody may see: all of it, or what lies beneath some folders.

What a view does not show is not there for whoever has it: no name, text, link or count tells of it,
and what is said of a path outside is the same whether there is something or nothing.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from commonplace.core import paths
from commonplace.errors import BadArgument

FOLDERS_MAX = 20


@dataclass(frozen=True, slots=True)
class View:
    """What lies beneath these folders; without any, everything."""

    folders: tuple[str, ...] = ()

    @staticmethod
    def of(folders: Iterable[str]) -> "View":
        """Return the view of some folders, named as a person writes them."""
        named = {paths.folder_path(folder) for folder in folders}
        if len(named) > FOLDERS_MAX:
            raise BadArgument(f"At most {FOLDERS_MAX} folders can be named. Name one above them.")
        if "" in named:
            raise BadArgument("The top of the vault is no folder to be limited to. Leave it out.")
        # one that lies in another adds nothing
        outer = [one for one in named if not any(one.startswith(f"{other}/") for other in named)]
        return View(tuple(sorted(outer)))

    @property
    def limited(self) -> bool:
        """Whether anything is left out."""
        return bool(self.folders)

    def shows(self, path: str) -> bool:
        """Tell whether a note or file is seen, by its path in the vault or on disk."""
        if not self.folders:
            return True
        path = path if path.isascii() else unicodedata.normalize("NFC", path)
        return any(path.startswith(f"{each}/") for each in self.folders)

    def shows_folder(self, folder: str) -> bool:
        """Tell whether a folder is seen: one of these, beneath one, or on the way to one."""
        if not folder or not self.folders:
            return True
        return any(
            folder == each or folder.startswith(f"{each}/") or each.startswith(f"{folder}/")
            for each in self.folders
        )

    @property
    def reach(self) -> str:
        """The folders, for people and assistants to read."""
        return ", ".join(f"{each}/" for each in self.folders) or "the whole vault"
