import os
from pathlib import Path

import pytest

from commonplace.vault.files.batch import NewBytes
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "vault", {"a.md": "a", "sub/b.md": "b", "sub/c.md": "c"})
    return tmp_path / "vault"


@pytest.fixture
def roots(folder: Path, tmp_path: Path) -> Roots:
    return Roots(Settings((Root("vault", folder),), tmp_path / "state"))


def left(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob(".*"))


def test_many_notes_are_changed_and_what_was_there_comes_back(roots: Roots, folder: Path) -> None:
    (folder / "a.md").chmod(0o640)
    changes = [NewBytes(path, path.encode(), path[-4]) for path in ("a.md", "sub/b.md", "sub/c.md")]
    with roots.swaps() as swaps:
        assert swaps.swap(changes) == [b"a", b"b", b"c"]
        assert left(folder) == [".a.commonplace", "sub/.b.commonplace", "sub/.c.commonplace"]
        for change in changes:
            swaps.clear(change)
    assert [(folder / change.path).read_bytes() for change in changes] == [
        change.data for change in changes
    ]
    assert (folder / "a.md").stat().st_mode & 0o777 == 0o640
    assert left(folder) == []


def test_one_that_fails_does_not_keep_the_others(roots: Roots, folder: Path) -> None:
    changes = [NewBytes(path, b"new", "t") for path in ("gone.md", "no/folder.md", "a.md")]
    with roots.swaps() as swaps:
        gone, nowhere, done = swaps.swap(changes)
        swaps.clear(changes[2])
    assert isinstance(gone, FileNotFoundError)
    assert isinstance(nowhere, FileNotFoundError)
    assert done == b"a"
    assert (folder / "a.md").read_bytes() == b"new"
    assert left(folder) == []


@pytest.mark.parametrize("step", ["fsync", "write"])
def test_a_disk_that_fails_leaves_the_note_as_it_was(
    roots: Roots, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with roots.swaps() as swaps, monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        (found,) = swaps.swap([NewBytes("a.md", b"new", "t")])
    assert isinstance(found, OSError)
    assert (folder / "a.md").read_bytes() == b"a"
    assert left(folder) == []


def test_what_a_crash_left_is_no_obstacle(roots: Roots, folder: Path) -> None:
    (folder / ".t.commonplace").write_text("half")
    with roots.swaps() as swaps:
        assert swaps.swap([NewBytes("a.md", b"new", "t")]) == [b"a"]
