"""Folders that clients make and remove."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.errors import BadPath, Conflict, Unavailable
from commonplace.vault.files import empty_folders
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def roots(folder: Path, tmp_path: Path) -> Iterator[Roots]:
    found = Roots(Settings((Root("vault", folder),), tmp_path / "state"))
    yield found
    found.close()


def test_a_folder_is_made_with_those_above_it_and_removed_alone(roots: Roots, folder: Path) -> None:
    empty_folders.make(roots, "One/Two/Three")
    empty_folders.make(roots, "One/Two/Three")
    assert (folder / "One/Two/Three").is_dir()
    empty_folders.remove(roots, "One/Two/Three")
    assert (folder / "One/Two").is_dir()
    assert not (folder / "One/Two/Three").exists()


def test_a_folder_that_holds_something_is_never_removed(roots: Roots, folder: Path) -> None:
    empty_folders.make(roots, "One")
    (folder / "One" / "picture.png").touch()
    with pytest.raises(Conflict):
        empty_folders.remove(roots, "One")
    assert (folder / "One" / "picture.png").exists()


def test_what_is_no_folder_is_left_alone(roots: Roots, folder: Path) -> None:
    (folder / "file").write_text("x")
    with pytest.raises((Conflict, Unavailable)):
        empty_folders.make(roots, "file")
    with pytest.raises(Conflict):
        empty_folders.remove(roots, "file")
    assert (folder / "file").read_text() == "x"


@pytest.mark.parametrize("path", ["Note.md", "../out", ".hidden", "a/../b"])
def test_a_name_that_no_folder_of_notes_can_have_is_refused(
    roots: Roots, folder: Path, path: str
) -> None:
    with pytest.raises(BadPath):
        empty_folders.make(roots, path)
    assert list(folder.iterdir()) == []


def test_no_link_is_followed_out_of_the_vault(roots: Roots, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "link").symlink_to(outside)
    with pytest.raises(Unavailable):
        empty_folders.make(roots, "link/new")
    with pytest.raises(Unavailable):
        empty_folders.remove(roots, "link/new")
    assert list(outside.iterdir()) == []
