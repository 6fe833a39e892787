"""What nobody can merge becomes a note of its own, whatever is in its way."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from commonplace.core import paths
from commonplace.errors import Unavailable
from commonplace.vault.files.conflict_copy import keep_conflict_copy, name_of_copy
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings

DAY = date(2026, 11, 19)


@pytest.fixture
def roots(tmp_path: Path) -> Iterator[Roots]:
    folder = tmp_path / "vault"
    folder.mkdir()
    found = Roots(Settings((Root("vault", folder),), tmp_path / "state"))
    yield found
    found.close()


def pushed_out(roots: Roots, folder: Path, path: str) -> str:
    """Let a swap push what another program wrote out of a note; return its token."""
    (folder / path).write_text("another program's")
    roots.swap(path, b"ours", "token")
    return "token"


@pytest.mark.parametrize(
    ("path", "number", "name"),
    [
        ("a.md", 1, "a (conflict 2026-11-19).md"),
        ("a.md", 2, "a (conflict 2026-11-19 2).md"),
        ("Folder/b c.MD", 1, "Folder/b c (conflict 2026-11-19).MD"),
        ("x.tar.gz", 1, "x.tar (conflict 2026-11-19).gz"),
        ("none", 1, "none (conflict 2026-11-19)"),
    ],
)
def test_a_copy_is_called_after_its_note_and_the_day(path: str, number: int, name: str) -> None:
    assert name_of_copy(path, DAY, number) == name


def test_a_long_name_is_cut_between_characters() -> None:
    name = name_of_copy("é" * 120 + ".md", DAY, 12)
    assert len(name.encode()) <= paths.PART_BYTES_MAX
    assert name.endswith("é (conflict 2026-11-19 12).md")


def test_a_copy_takes_the_first_name_that_is_free(roots: Roots, tmp_path: Path) -> None:
    folder = tmp_path / "vault"
    (folder / "a (conflict 2026-11-19).md").write_text("here already")
    kept = keep_conflict_copy(roots, "a.md", pushed_out(roots, folder, "a.md"), DAY)
    assert kept == "a (conflict 2026-11-19 2).md"
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "a.md": "ours",
        "a (conflict 2026-11-19).md": "here already",
        kept: "another program's",
    }


def test_where_no_copy_can_be_made_nothing_is_lost(
    roots: Roots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "vault"
    token = pushed_out(roots, folder, "a.md")
    monkeypatch.setattr("commonplace.vault.files.conflict_copy.COPIES_MAX", 2)
    (folder / "a (conflict 2026-11-19).md").write_text("here already")
    with pytest.raises(Unavailable, match="too many conflict copies"):
        keep_conflict_copy(roots, "a.md", token, DAY)
    assert "another program's" in {file.read_text() for file in folder.iterdir()}
