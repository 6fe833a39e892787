"""Which files changed since the index saw them, and which are others under a new name."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.vault.files.reader import Listed, Stamp
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.build import scan
from commonplace.vault.index.reader import IndexedFile
from commonplace.vault.settings import Root, Settings
from tests.vault.conftest import write

OLD, NEW = Stamp(1, 2, 3), Stamp(9, 2, 3)


def indexed(stamp: Stamp, sha: bytes | None = b"sha") -> IndexedFile:
    return IndexedFile(mtime_ns=stamp.mtime_ns, size=stamp.size, inode=stamp.inode, sha=sha, note=1)


def test_files_are_told_apart_by_their_stamps() -> None:
    known = {"same": indexed(OLD), "changed": indexed(OLD), "unread": indexed(OLD, None)}
    known["gone"] = indexed(OLD)
    found = [
        Listed("same", OLD, None),
        Listed("changed", NEW, None),
        Listed("unread", OLD, None),
        Listed("new", OLD, None),
        Listed("new", NEW, "other name on disk"),
    ]
    plan = scan.plan(found, known)
    assert [each.path for each in plan.new] == ["new"]
    assert plan.new[0].stamp == OLD, "of two names that are one, the first is the note"
    assert [each.path for each in plan.changed] == ["changed", "unread"]
    assert (plan.gone, plan.found) == (["gone"], 4)


@pytest.mark.parametrize(
    ("gone", "fresh", "found"),
    [
        ({"a": indexed(OLD)}, [("b", 3, b"other")], {"b": "a"}),
        ({"a": indexed(OLD)}, [("b", 7, b"sha")], {"b": "a"}),
        ({"a": indexed(OLD)}, [("b", 7, b"other")], {}),
        ({"a": indexed(OLD)}, [("b", 3, b"sha"), ("c", 3, b"sha")], {"b": "a"}),
        ({"a": indexed(OLD, None)}, [("b", 7, b"")], {}),
        ({}, [("b", 3, b"sha")], {}),
    ],
)
def test_the_same_file_or_the_same_bytes_are_the_same_note(
    gone: dict[str, IndexedFile], fresh: list[scan.Seen], found: dict[str, str]
) -> None:
    assert scan.moves(gone, fresh) == found


@pytest.fixture
def roots(tmp_path: Path) -> Generator[Roots]:
    write(tmp_path / "vault", {"a.md": "# A\n", "bad.md": b"\xff\xfe\x00"})
    found = Roots(Settings((Root("vault", tmp_path / "vault"),), tmp_path))
    yield found
    found.close()


def listed(roots: Roots, path: str) -> Listed:
    found = roots.listed(path)
    assert found is not None
    return found


def test_a_note_is_read_unless_its_bytes_are_known(roots: Roots) -> None:
    fresh = scan.read(roots, listed(roots, "a.md"))
    assert fresh is not None
    assert fresh.digest is not None
    assert fresh.digest.title == "A"
    assert scan.seen(fresh) == ("a.md", fresh.listed.stamp.inode, fresh.sha)
    assert scan.read(roots, fresh.listed, fresh.sha) is None


def test_what_cannot_be_read_is_listed_with_the_reason(roots: Roots, tmp_path: Path) -> None:
    bad = scan.read(roots, listed(roots, "bad.md"))
    assert bad is not None
    assert bad.digest is None
    assert bad.problem
    gone = listed(roots, "a.md")
    (tmp_path / "vault/a.md").unlink()
    missing = scan.read(roots, gone)
    assert missing is not None
    assert (missing.digest, missing.sha) == (None, b"-")
