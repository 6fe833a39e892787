"""What a view shows, and what it does not."""

import pytest

from commonplace.core.view import FOLDERS_MAX, View
from commonplace.errors import BadArgument, BadPath

PROJECTS = View.of(["Projects"])


@pytest.mark.parametrize("path", ["Projects/a.md", "Projects/deep/er/a.md"])
def test_what_lies_beneath_is_seen(path: str) -> None:
    assert PROJECTS.shows(path)


@pytest.mark.parametrize(
    "path", ["a.md", "Projects.md", "Projects", "Projects 2/a.md", "projects/a.md", "X/Projects/a"]
)
def test_what_lies_elsewhere_is_not(path: str) -> None:
    assert not PROJECTS.shows(path)


def test_without_folders_all_is_seen() -> None:
    assert View().shows("anything.md")
    assert View().shows_folder("any")
    assert not View().limited


def test_folders_on_the_way_are_seen_but_not_what_they_hold() -> None:
    view = View.of(["Work/Projects/One"])
    assert all(view.shows_folder(each) for each in ("", "Work", "Work/Projects/One/Two"))
    assert not view.shows_folder("Work/Private")
    assert not view.shows("Work/plan.md")


def test_folders_are_named_as_people_write_them_and_each_once() -> None:
    view = View.of(["B/", "A", "A/C"])
    assert view.folders == ("A", "B")
    assert view.reach == "A/, B/"


@pytest.mark.parametrize("folder", ["", "/", "../x", "a/../b", ".hidden"])
def test_what_names_no_folder_is_refused(folder: str) -> None:
    with pytest.raises((BadArgument, BadPath)):
        View.of([folder])


def test_a_name_on_disk_is_seen_as_it_is_written_in_the_vault() -> None:
    assert View.of(["Caf\u00e9"]).shows("Cafe\u0301/a.md")


def test_very_many_folders_are_refused() -> None:
    with pytest.raises(BadArgument, match="At most"):
        View.of([f"f{number}" for number in range(FOLDERS_MAX + 1)])
