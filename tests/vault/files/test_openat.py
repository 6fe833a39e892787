"""No link leads out of a folder, by the kernel's check and by the walk alike."""

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from commonplace.vault.files import openat

Open = Callable[[int, str, int, int], int]
WAYS = [openat.open_beneath, openat._walk]


@pytest.fixture
def top(tmp_path: Path) -> Generator[int]:
    (tmp_path / "out.md").write_text("outside")
    inside = tmp_path / "vault"
    (inside / "a/b").mkdir(parents=True)
    (inside / "a/b/n.md").write_text("note")
    (inside / "link.md").symlink_to("a/b/n.md")
    (inside / "up").symlink_to("..")
    (inside / "a/away").symlink_to(tmp_path)
    descriptor = os.open(inside, os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


@pytest.mark.parametrize("way", WAYS)
def test_a_file_is_opened_beneath(top: int, way: Open) -> None:
    descriptor = way(top, "a/b/n.md", os.O_RDONLY, 0)
    assert os.read(descriptor, 10) == b"note"
    assert not os.get_inheritable(descriptor)
    os.close(descriptor)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "path", ["link.md", "up/out.md", "a/away/out.md", "none.md", "a/b/n.md/x", "none/n.md"]
)
def test_a_link_is_not_followed_wherever_it_stands(top: int, way: Open, path: str) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    with pytest.raises(OSError, match="Errno"):
        way(top, path, os.O_RDONLY, 0)
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert after == before, "no folder on the way is left open"


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_made_has_the_mode_that_is_asked_for(top: int, way: Open) -> None:
    descriptor = way(top, "a/new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    assert os.fstat(descriptor).st_mode & 0o777 == 0o600
    os.close(descriptor)
    with pytest.raises(FileExistsError):
        way(top, "a/new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def test_no_path_is_the_folder_itself(top: int) -> None:
    descriptor = openat.open_beneath(top, "", os.O_RDONLY | os.O_DIRECTORY)
    assert sorted(os.listdir(descriptor)) == ["a", "link.md", "up"]
    os.close(descriptor)
