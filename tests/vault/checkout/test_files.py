"""The files of a working copy: replaced or removed only while they read as expected."""

from collections.abc import Generator
from pathlib import Path

import pytest

from commonplace.errors import BadArgument
from commonplace.vault.checkout.files import CopyFiles, decoded


@pytest.fixture
def files(tmp_path: Path) -> Generator[CopyFiles]:
    (tmp_path / "copy").mkdir()
    found = CopyFiles(tmp_path / "copy")
    yield found
    found.close()


def test_a_note_is_written_where_there_is_none(files: CopyFiles) -> None:
    assert files.read("f/é.md") is None
    assert files.write("f/é.md", "漢\n", None)
    assert files.read("f/é.md") == "漢\n"
    assert not files.write("f/é.md", "other", None)
    assert files.read("f/é.md") == "漢\n"
    assert [path for path, _ in files.scan()] == ["f/é.md"]


def test_what_was_saved_meanwhile_stays(files: CopyFiles) -> None:
    (files.folder / "a.md").write_bytes(b"one\r\n")
    assert files.write("a.md", "two\n", "one\n")
    assert (files.folder / "a.md").read_bytes() == b"two\n"
    assert not files.write("a.md", "three\n", "one\n")
    assert (files.folder / "a.md").read_bytes() == b"two\n"
    assert not files.write("none.md", "x", "y")
    assert sorted(each.name for each in files.folder.iterdir()) == ["a.md"], "nothing is left over"


def test_a_note_is_removed_if_it_reads_as_expected(files: CopyFiles) -> None:
    (files.folder / "f").mkdir()
    (files.folder / "f/a.md").write_text("one\n")
    assert not files.remove("f/a.md", "two\n")
    assert files.remove("f/a.md", "one\n")
    assert not files.remove("f/a.md", "one\n")
    assert files.stamp("f/a.md") is None


def test_a_file_gets_a_name_that_is_free(files: CopyFiles) -> None:
    for name in ("a.md", "b.md"):
        (files.folder / name).write_text(name)
    assert not files.rename("a.md", "b.md")
    assert not files.rename("none.md", "c.md")
    assert files.rename("a.md", "c.md")
    assert files.read("c.md") == "a.md"


def test_a_path_of_the_machine_is_one_of_the_copy(files: CopyFiles, tmp_path: Path) -> None:
    assert files.inside(f"{files.folder}/f/../a.md") == "a.md"
    for outside in (str(tmp_path / "other/a.md"), str(files.folder), f"{files.folder}/../a.md"):
        with pytest.raises(BadArgument):
            files.inside(outside)
    with pytest.raises(BadArgument):
        files.inside(f"{files.folder}/.hidden/a.md")


@pytest.mark.parametrize(
    ("data", "text"), [(b"a\r\nb", "a\nb"), (b"", ""), (b"\xff\xfe\x00", None), (b"\xe9", None)]
)
def test_bytes_that_are_no_text_are_not_what_was_expected(data: bytes, text: str | None) -> None:
    assert decoded(data) == text
