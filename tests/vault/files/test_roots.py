"""The roots of a vault as one tree of paths."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.core.view import View
from commonplace.errors import BadArgument, NotFound
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write


@pytest.fixture
def one(tmp_path: Path) -> Generator[Roots]:
    write(tmp_path / "One", {"a.md": "a", "Folder/b.md": "b", "Private/c.md": "c"})
    (tmp_path / "state").mkdir()
    roots = Roots(Settings((Root("One", tmp_path / "One"),), tmp_path / "state"))
    yield roots
    roots.close()


@pytest.fixture
def two(tmp_path: Path) -> Generator[Roots]:
    write(tmp_path / "x/One", {"a.md": "a"})
    write(tmp_path / "x/Two", {"a.md": "other", "f/skip.md": "s", "f/d.md": "d"})
    folders = tuple(Root(name, tmp_path / "x" / name) for name in ("One", "Two"))
    roots = Roots(Settings(folders, tmp_path, ignore=("**/skip.md",)))
    yield roots
    roots.close()


def test_the_path_of_a_single_root_is_relative_to_it(one: Roots, tmp_path: Path) -> None:
    assert one.read("Folder/b.md")[0] == b"b"
    assert one.split("Folder/b.md") == ("One", "Folder/b.md")
    assert one.joined("One", "a.md") == "a.md"
    assert one.path_of(str(tmp_path / "One/Folder/b.md")) == "Folder/b.md"
    assert one.path_of(str(tmp_path / "One")) == ""
    assert one.path_of(str(tmp_path / "One more/b.md")) is None


def test_with_several_the_first_part_names_the_root(two: Roots, tmp_path: Path) -> None:
    assert two.read("Two/a.md")[0] == b"other"
    assert two.split("Two/f/d.md") == ("Two", "f/d.md")
    assert two.joined("Two", "f/d.md") == "Two/f/d.md"
    assert two.path_of(str(tmp_path / "x/Two")) == "Two"
    assert two.path_of(str(tmp_path / "x/Two/f/d.md")) == "Two/f/d.md"
    assert sorted(each.path for each in two.scan()) == ["One/a.md", "Two/a.md", "Two/f/d.md"]
    assert [each.path for each in two.scan("Two/f")] == ["Two/f/d.md"]
    with pytest.raises(NotFound, match="names a folder of this vault: One, Two"):
        two.read("Three/a.md")
    with pytest.raises(BadArgument, match="cannot be moved from one"):
        two.rename("One/a.md", "Two/b.md")


def test_what_is_ignored_is_not_listed(two: Roots) -> None:
    assert two.listed("Two/f/skip.md") is None
    found = two.listed("Two/f/d.md")
    assert found is not None
    assert (found.path, found.on_disk) == ("Two/f/d.md", None)


def test_a_view_shows_its_folders_alone(one: Roots) -> None:
    part = one.seen(View.of(["Folder"]))
    assert [each.path for each in part.scan()] == ["Folder/b.md"]
    for look in (part.read, part.stamp, part.find, part.split):
        with pytest.raises(NotFound):
            look("Private/c.md")
    assert not part.is_folder("Private")
    assert part.is_folder("Folder")
    assert one.read("Private/c.md")[0] == b"c", "the whole is as it was"


def test_folders_are_those_that_are_there(one: Roots, two: Roots) -> None:
    assert [one.is_folder(each) for each in ("", "Folder", "a.md", "none")] == [
        True,
        True,
        False,
        False,
    ]
    assert [two.is_folder(each) for each in ("", "One", "Three", "Two/f")] == [
        True,
        True,
        False,
        True,
    ]


def test_no_folder_gets_a_twin_that_differs_by_case_alone(one: Roots, tmp_path: Path) -> None:
    assert one.spelled("folder/New.md") == "Folder/New.md"
    assert one.spelled("Folder/New.md") == "Folder/New.md"
    assert one.spelled("else/sub/New.md") == "else/sub/New.md"
    (tmp_path / "One/FOLDER").mkdir(exist_ok=True)
    if len(list((tmp_path / "One").iterdir())) == 4:
        assert one.spelled("FOLDER/New.md") == "FOLDER/New.md", "one that is there is itself"


def test_what_is_trashed_lies_in_the_trash_of_its_root(two: Roots, tmp_path: Path) -> None:
    assert two.trash("Two/a.md") == "Two/.trash/a.md"
    assert (tmp_path / "x/Two/.trash/a.md").read_text() == "other"
    (tmp_path / "x/Two/a.md").write_text("again")
    assert two.trash("Two/a.md") == "Two/.trash/a 2.md"


def test_a_root_that_is_gone_is_missed(two: Roots, tmp_path: Path) -> None:
    assert two.missing() == []
    (tmp_path / "x/Two").rename(tmp_path / "x/Away")
    assert two.missing() == ["Two"]
