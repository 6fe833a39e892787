"""Whoever may not write any more changes no file, however late it learns of that."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from commonplace.errors import Unavailable
from commonplace.vault.files.backing_store import NO_BACKING_STORE, FileChange, NoBackingStore
from commonplace.vault.files.batch import NewBytes
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings

TOKEN = "0123456789abcdef"


def swap_many(roots: Roots) -> None:
    with roots.swaps() as swaps:
        swaps.swap([NewBytes("a.md", b"new", TOKEN)])


CHANGES: dict[str, Callable[[Roots], object]] = {
    "swap": lambda roots: roots.swap("a.md", b"new", TOKEN),
    "swaps": swap_many,
    "create": lambda roots: roots.create("b.md", b"new", TOKEN),
    "rename": lambda roots: roots.rename("a.md", "b.md"),
    "trash": lambda roots: roots.trash("a.md"),
}


class Refusal(NoBackingStore):
    """Whoever has lost the lease."""

    def change(self, changes: Sequence[FileChange]) -> AbstractContextManager[object]:
        raise Unavailable("Another node may have this vault by now.")


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*.md")
        if each.is_file()
    }


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_changed_without_a_permit(
    change: Callable[[Roots], object], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    roots = Roots(Settings((Root("notes", tmp_path),), tmp_path / "state"), Refusal())
    with pytest.raises(Unavailable):
        change(roots)
    assert files(tmp_path) == {"a.md": b"old"}
    roots.close()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_with_one_everything_is(change: Callable[[Roots], object], tmp_path: Path) -> None:
    """The control."""
    (tmp_path / "a.md").write_bytes(b"old")
    roots = Roots(Settings((Root("notes", tmp_path),), tmp_path / "state"), NO_BACKING_STORE)
    change(roots)
    assert files(tmp_path) != {"a.md": b"old"}
    roots.close()
