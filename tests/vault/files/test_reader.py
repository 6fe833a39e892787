"""Note files are read beneath their root and nowhere else."""

import os
import threading
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commonplace.errors import BadArgument, NotFound, Unavailable, Unreadable
from commonplace.vault.files import openat
from commonplace.vault.files.reader import NOTE_BYTES_MAX, RootFolder
from commonplace.vault.settings import Root

_NOBODY = 65534


@pytest.fixture(params=["kernel", "walk"])
def disk(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RootFolder]:
    """A root with a few notes, opened both ways that there are."""
    if request.param == "walk":
        monkeypatch.setattr(openat, "_open", openat._walk)
    elif openat._open is openat._walk:
        pytest.skip("this kernel has no openat2")
    root = tmp_path / "vault"
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "a.md").write_bytes(b"alpha\n")
    (root / "sub" / "deep" / "b.md").write_bytes(b"beta\n")
    (tmp_path / "secret.md").write_bytes(b"SECRET\n")
    opened = RootFolder(Root("vault", root))
    yield opened
    opened.close()


def test_a_note_is_read_with_its_stamp(disk: RootFolder) -> None:
    data, stamp = disk.read("sub/deep/b.md")
    assert data == b"beta\n"
    assert stamp == disk.stamp("sub/deep/b.md")
    assert stamp.size == 5


def test_a_note_that_is_not_there_is_not_found(disk: RootFolder) -> None:
    for path in ("x.md", "a.md/x.md", "sub/x.md"):
        with pytest.raises(NotFound):
            disk.read(path)


def test_a_folder_with_the_name_of_a_note_is_no_note(disk: RootFolder) -> None:
    (disk.root.path / "x.md").mkdir()
    with pytest.raises(BadArgument, match="is a folder"):
        disk.read("x.md")
    assert disk.stamp("x.md") is None
    assert "x.md" not in {listed.path for listed in disk.scan()}


@pytest.mark.parametrize("link", ["out.md", "sub/out.md"])
def test_a_link_out_of_the_vault_leads_nowhere(disk: RootFolder, link: str) -> None:
    (disk.root.path / link).symlink_to(disk.root.path.parent / "secret.md")
    with pytest.raises(NotFound):
        disk.read(link)
    assert disk.stamp(link) is None
    assert link not in {listed.path for listed in disk.scan()}


def test_a_linked_folder_leads_nowhere(disk: RootFolder) -> None:
    (disk.root.path / "linked").symlink_to(disk.root.path.parent)
    with pytest.raises(NotFound):
        disk.read("linked/secret.md")
    assert not disk.is_folder("linked")
    assert {listed.path for listed in disk.scan()} == {"a.md", "sub/deep/b.md"}


def test_a_link_that_stays_inside_is_not_followed_either(disk: RootFolder) -> None:
    (disk.root.path / "c.md").symlink_to(disk.root.path / "a.md")
    with pytest.raises(NotFound):
        disk.read("c.md")


def test_no_swap_of_a_folder_for_a_link_reads_outside(disk: RootFolder) -> None:
    """The classic race: between the check and the use, a part becomes a link."""
    inside, outside = disk.root.path / "swap", disk.root.path.parent / "outside"
    outside.mkdir()
    (outside / "n.md").write_bytes(b"SECRET\n")
    real = disk.root.path / "real"
    real.mkdir()
    (real / "n.md").write_bytes(b"fine\n")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.symlink(outside, inside)
            os.unlink(inside)
            os.rename(real, inside)
            os.rename(inside, real)

    thread = threading.Thread(target=swap)
    thread.start()
    seen: set[bytes] = set()
    try:
        for _ in range(4000):
            try:
                seen.add(disk.read("swap/n.md")[0])
            except (NotFound, Unavailable):
                continue
    finally:
        stop.set()
        thread.join()
    assert b"SECRET\n" not in seen


def test_the_swap_would_read_outside_without_the_guard(tmp_path: Path) -> None:
    """The control: opening by name follows the link that the guard refuses."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "n.md").write_bytes(b"SECRET\n")
    (tmp_path / "vault" / "swap").symlink_to(tmp_path / "outside")
    assert (tmp_path / "vault" / "swap" / "n.md").read_bytes() == b"SECRET\n"
    disk = RootFolder(Root("vault", tmp_path / "vault"))
    with pytest.raises(NotFound):
        disk.read("swap/n.md")
    disk.close()


def test_a_pipe_with_the_name_of_a_note_does_not_hang(disk: RootFolder) -> None:
    os.mkfifo(disk.root.path / "pipe.md")
    with pytest.raises(NotFound):
        disk.read("pipe.md")


def test_a_huge_note_is_refused_with_its_size(disk: RootFolder) -> None:
    with (disk.root.path / "big.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    with pytest.raises(Unreadable, match=r"52\.4 MB"):
        disk.read("big.md")
    assert "big.md" in {listed.path for listed in disk.scan()}


def test_a_note_just_under_the_limit_is_read_whole(disk: RootFolder) -> None:
    (disk.root.path / "big.md").write_bytes(b"x" * NOTE_BYTES_MAX)
    assert len(disk.read("big.md")[0]) == NOTE_BYTES_MAX


def test_names_are_found_whatever_their_unicode_form_on_disk(disk: RootFolder) -> None:
    decomposed = unicodedata.normalize("NFD", "Ünïcode/Café.md")
    (disk.root.path / decomposed).parent.mkdir()
    (disk.root.path / decomposed).write_bytes(b"x")
    listed = next(each for each in disk.scan() if each.path.startswith("Ü"))
    assert listed.path == "Ünïcode/Café.md"
    assert listed.on_disk == decomposed
    assert disk.find("Ünïcode/Café.md") == decomposed


def test_a_scan_passes_over_what_is_hidden_or_no_note(disk: RootFolder) -> None:
    for name in (".obsidian/x.md", ".trash/y.md", "sub/.z.md", "pic.png", "sub/notes.txt"):
        (disk.root.path / name).parent.mkdir(exist_ok=True)
        (disk.root.path / name).write_bytes(b"x")
    (disk.root.path / "UPPER.MD").write_bytes(b"x")
    assert {each.path for each in disk.scan()} == {"a.md", "sub/deep/b.md", "UPPER.MD"}


def test_a_root_that_went_is_noticed(disk: RootFolder) -> None:
    assert disk.present()
    disk.root.path.rename(disk.root.path.parent / "moved")
    assert not disk.present()


def test_a_root_that_is_not_there_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no such file"):
        RootFolder(Root("notes", tmp_path / "missing"))


@pytest.fixture
def nobody() -> Iterator[Callable[[], None]]:
    """Become somebody for whom permissions count; tests are often run by root."""
    before = os.geteuid()
    yield lambda: os.seteuid(_NOBODY) if before == 0 else None
    os.seteuid(before)


def test_a_note_without_permission_is_there_but_cannot_be_read(
    disk: RootFolder, nobody: Callable[[], None]
) -> None:
    (disk.root.path / "sub" / "deep" / "b.md").chmod(0)
    (disk.root.path / "a.md").chmod(0o644)
    there = disk.stamp("sub/deep/b.md")
    disk.root.path.joinpath("out.md").symlink_to(disk.root.path.parent / "secret.md")
    (disk.root.path.parent / "secret.md").chmod(0)
    nobody()
    assert disk.read("a.md")[0] == b"alpha\n"  # the control: it is not for want of the folder
    assert disk.find("sub/deep/b.md") == "sub/deep/b.md"
    assert disk.stamp("sub/deep/b.md") == there
    assert disk.stamp("out.md") is None
    with pytest.raises(Unavailable, match=r"b\.md cannot be read: permission denied\. Give"):
        disk.read("sub/deep/b.md")
