"""What clients mean by their changes to the list of a folder."""

import pytest

from commonplace.vault.documents.folder_document import FOLDER_PREFIX
from commonplace.vault.folders import plan as module
from commonplace.vault.folders.plan import (
    ClientTouches,
    FolderEntry,
    FolderSteps,
    inside_of,
    read_entry,
    shown,
    steps,
)

A, B, C = "a" * 16, "b" * 16, "c" * 16


@pytest.mark.parametrize(
    ("value", "entry"),
    [
        ({"id": A, "type": "markdown", "version": 0}, FolderEntry(A)),
        ({"id": A, "type": "folder"}, FolderEntry(A, folder=True)),
        ({"id": A, "type": "image"}, None),
        ({"id": A}, None),
        ({"id": "short", "type": "markdown"}, None),
        ({"id": A + "/../x", "type": "markdown"}, None),
        ({"id": A + "\n", "type": "markdown"}, None),
        ({"id": 5, "type": "markdown"}, None),
        ({"id": A, "type": ["markdown"]}, None),
        ({"id": FOLDER_PREFIX + A, "type": "markdown"}, None),
        (None, None),
        ([], None),
    ],
)
def test_a_value_that_a_client_wrote_is_an_entry_or_none(
    value: object, entry: FolderEntry | None
) -> None:
    assert read_entry(value) == entry
    assert entry is None or read_entry(shown(entry)) == entry


@pytest.mark.parametrize(
    ("key", "inside"),
    [
        ("/a.md", "a.md"),
        ("/f/e\u0301.md", "f/é.md"),
        ("a.md", None),
        ("/../a.md", None),
        ("/.hidden/a.md", None),
        ("/", None),
        ("", None),
    ],
)
def test_a_key_names_a_path_inside_the_root(key: str, inside: str | None) -> None:
    assert inside_of(key) == inside


def seen(
    listed: dict[str, str] | None = None,
    left: dict[str, str] | None = None,
    removed: set[str] | None = None,
    homes: dict[str, str] | None = None,
    fresh: set[str] | None = None,
) -> ClientTouches:
    return ClientTouches(listed or {}, left or {}, removed or set(), homes or {}, fresh or set())


@pytest.mark.parametrize(
    ("touches", "wanted"),
    [
        (seen(), FolderSteps()),
        (
            seen({"b": A}, {"a": A}, {"a"}, {A: "a"}),
            FolderSteps(moves=[("a", "b")]),
        ),
        (seen({}, {"a": A}, {"a"}, {A: "a"}), FolderSteps(gone=["a"])),
        (seen({"b": B}, {}, set(), {}, {B}), FolderSteps(new=[("b", B)])),
        (seen({"b": B}, {}, set(), {}, set()), FolderSteps(new=[("b", None)])),
        (seen({"b": A}, {}, set(), {A: "a"}), FolderSteps()),
        (seen({"a": B}, {"a": A}, set(), {A: "a"}, {B}), FolderSteps()),
        (
            seen({"a": B, "b": A}, {"a": A, "b": B}, set(), {A: "a", B: "b"}),
            FolderSteps(moves=[("b", "a"), ("a", "b")]),
        ),
        (
            seen({"b": A, "c": A}, {"a": A}, {"a"}, {A: "a"}),
            FolderSteps(moves=[("a", "b")]),
        ),
        (
            seen({"a": C, "b": A}, {"a": A}, set(), {A: "a"}, {C}),
            FolderSteps(moves=[("a", "b")], new=[("a", C)]),
        ),
        (
            seen({"b": A}, {}, set(), {A: ".trash/a"}),
            FolderSteps(moves=[(".trash/a", "b")]),
        ),
    ],
)
def test_an_id_that_left_and_is_elsewhere_has_moved(
    touches: ClientTouches, wanted: FolderSteps
) -> None:
    assert steps(touches, 1_000) == wanted


def test_very_many_deletions_at_once_are_held_back() -> None:
    paths = {str(number): f"{number:016}" for number in range(100)}
    homes = {id: path for path, id in paths.items()}
    found = steps(seen({}, paths, set(paths), homes), 120)
    assert (found.held, found.gone) == (100, [])
    few = dict(list(paths.items())[:3])
    assert sorted(steps(seen({}, few, set(few), homes), 120).gone) == ["0", "1", "2"]


def test_a_client_makes_only_so_many_notes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CREATED_MAX", 3)
    listed = {str(number): f"{number:016}" for number in range(5)}
    assert len(steps(seen(listed), 10).new) == 3
