"""One attachment, held open: the same file while it is read, and nothing but a file."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.errors import NotFound, Unavailable, Unreadable
from commonplace.vault.attachments import open as module
from commonplace.vault.attachments.open import Hashes, iter_parts, open_file, opened
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings


@pytest.fixture
def roots(tmp_path: Path) -> Generator[Roots]:
    (tmp_path / "vault/f").mkdir(parents=True)
    (tmp_path / "vault/a.bin").write_bytes(b"0123456789")
    (tmp_path / "vault/link.bin").symlink_to("a.bin")
    os.mkfifo(tmp_path / "vault/pipe.bin")
    found = Roots(Settings((Root("vault", tmp_path / "vault"),), tmp_path))
    yield found
    found.close()


def test_parts_are_read_of_the_file_that_was_opened(roots: Roots, tmp_path: Path) -> None:
    with opened(roots, "a.bin", "a.bin") as file:
        (tmp_path / "vault/a.bin").unlink()
        (tmp_path / "vault/a.bin").write_bytes(b"other")
        assert (file.size, file.read(2, 3), file.read(8, 9), file.whole(10)) == (
            10,
            b"234",
            b"89",
            b"0123456789",
        )
        with pytest.raises(Unreadable, match="takes at most"):
            file.whole(9)


@pytest.mark.parametrize("path", ["none.bin", "f", "link.bin", "pipe.bin", "a.bin/x"])
def test_nothing_but_a_file_is_opened(roots: Roots, path: str) -> None:
    with pytest.raises(NotFound, match=f"no file {path}"):
        open_file(roots, path, path)


def test_a_file_that_becomes_shorter_is_told(roots: Roots, tmp_path: Path) -> None:
    with opened(roots, "a.bin", "a.bin") as file:
        os.truncate(tmp_path / "vault/a.bin", 4)
        with pytest.raises(Unavailable, match="being written"):
            list(iter_parts(file, 0, 10))


def test_a_hash_is_of_what_a_file_holds(roots: Roots, tmp_path: Path) -> None:
    hashes = Hashes()
    (tmp_path / "vault/same.bin").write_bytes(b"0123456789")
    with (
        opened(roots, "a.bin", "a.bin") as one,
        opened(roots, "same.bin", "same.bin") as other,
    ):
        assert hashes.of(one) == hashes.of(other) == hashes.of(one)
    (tmp_path / "vault/a.bin").write_bytes(b"012345678X")
    with opened(roots, "a.bin", "a.bin") as changed, opened(roots, "same.bin", "same.bin") as old:
        assert hashes.of(changed) != hashes.of(old)


def test_of_a_very_large_file_its_state_stands_in(
    roots: Roots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HASHED_BYTES_MAX", 5)
    monkeypatch.setattr(module, "HASHES_MAX", 1)
    (tmp_path / "vault/same.bin").write_bytes(b"0123456789")
    hashes = Hashes()
    with (
        opened(roots, "a.bin", "a.bin") as one,
        opened(roots, "same.bin", "same.bin") as other,
    ):
        first = hashes.of(one)
        assert first != hashes.of(other)
        assert hashes.of(one) == first
