"""Note files are written wholly, keep their mode, and nothing is overwritten unseen."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.errors import Conflict
from commonplace.vault.files import rename
from commonplace.vault.files.reader import RootFolder
from commonplace.vault.files.writer import Pen
from commonplace.vault.settings import Root


@pytest.fixture(params=["kernel", "links"])
def root(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Path, Pen]]:
    """A root and its pen, with `renameat2` and without."""
    if request.param == "links":
        monkeypatch.setattr(rename, "_libc", None)
    (tmp_path / "a.md").write_bytes(b"old\n")
    disk = RootFolder(Root("v", tmp_path))
    yield tmp_path, Pen(disk)
    disk.close()


def test_a_swap_gives_back_what_was_there(root: tuple[Path, Pen]) -> None:
    folder, pen = root
    (folder / "a.md").chmod(0o640)
    before, stamp = pen.swap("a.md", b"new\n", "t1")
    assert before == b"old\n"
    assert (folder / "a.md").read_bytes() == b"new\n"
    found = (folder / "a.md").stat()
    assert stat.S_IMODE(found.st_mode) == 0o640
    assert (stamp.size, stamp.inode) == (4, found.st_ino)
    left = pen.spare("a.md", "t1")
    assert left is not None
    assert left.data == b"old\n"
    pen.clear("a.md", "t1")
    assert pen.spare("a.md", "t1") is None
    assert sorted(os.listdir(folder)) == ["a.md"]


def test_a_swap_with_a_note_that_went_leaves_nothing_behind(root: tuple[Path, Pen]) -> None:
    folder, pen = root
    (folder / "a.md").unlink()
    with pytest.raises(FileNotFoundError):
        pen.swap("a.md", b"new\n", "t1")
    assert os.listdir(folder) == []


def test_a_note_is_created_with_its_folders_and_never_over_another(root: tuple[Path, Pen]) -> None:
    folder, pen = root
    pen.create("x/y/z.md", b"hello", "t1")
    assert (folder / "x/y/z.md").read_bytes() == b"hello"
    with pytest.raises(Conflict, match="exists already"):
        pen.create("a.md", b"other", "t2")
    assert (folder / "a.md").read_bytes() == b"old\n"
    (folder / "folder.md").mkdir()
    with pytest.raises(Conflict, match="exists already"):
        pen.create("folder.md", b"other", "t3")
    assert sorted(os.listdir(folder)) == ["a.md", "folder.md", "x"]


def test_a_rename_makes_folders_and_never_overwrites(root: tuple[Path, Pen]) -> None:
    folder, pen = root
    (folder / "b.md").write_bytes(b"b")
    with pytest.raises(Conflict):
        pen.rename("a.md", "b.md")
    pen.rename("a.md", "sub/c.md")
    assert (folder / "sub/c.md").read_bytes() == b"old\n"
    assert (folder / "b.md").read_bytes() == b"b"


def test_the_trash_keeps_every_note_of_one_name(root: tuple[Path, Pen]) -> None:
    folder, pen = root
    assert pen.trash("a.md") == ".trash/a.md"
    (folder / "a.md").write_bytes(b"second")
    assert pen.trash("a.md") == ".trash/a 2.md"
    assert (folder / ".trash/a.md").read_bytes() == b"old\n"
    assert (folder / ".trash/a 2.md").read_bytes() == b"second"


def test_a_linked_folder_is_not_written_through(root: tuple[Path, Pen]) -> None:
    folder, pen = root
    outside = folder.parent / "outside"
    outside.mkdir(exist_ok=True)
    (folder / "link").symlink_to(outside)
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        pen.create("link/x.md", b"x", "t1")
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        pen.rename("a.md", "link/x.md")
    assert os.listdir(outside) == []
    assert (folder / "a.md").exists()
