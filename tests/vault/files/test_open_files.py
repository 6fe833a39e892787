"""Who has a file open for writing: seen from here, done by another process."""

import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from commonplace.vault.files.open_files import is_open_for_writing, wait_for_writers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


@contextmanager
def opened(path: Path, mode: str) -> Generator[subprocess.Popen[bytes]]:
    """Let another process have a file open."""
    code = f"f = open({str(path)!r}, {mode!r}); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process
        finally:
            process.communicate(b"\n")


@pytest.fixture
def descriptor(tmp_path: Path) -> Generator[int]:
    (tmp_path / "a.md").write_text("text\n")
    found = os.open(tmp_path / "a.md", os.O_RDONLY)
    yield found
    os.close(found)


@pytest.mark.parametrize("mode", ["w", "a", "r+"])
def test_a_writer_in_another_process_is_seen(tmp_path: Path, descriptor: int, mode: str) -> None:
    assert is_open_for_writing(descriptor) is False
    with opened(tmp_path / "a.md", mode):
        assert is_open_for_writing(descriptor) is True
        assert not wait_for_writers(descriptor, 0.02)
    assert is_open_for_writing(descriptor) is False
    assert wait_for_writers(descriptor, 0.0)


def test_a_reader_is_no_writer(tmp_path: Path, descriptor: int) -> None:
    with opened(tmp_path / "a.md", "r"):
        assert is_open_for_writing(descriptor) is False


def test_whoever_opens_the_file_meanwhile_is_not_kept_waiting(
    tmp_path: Path, descriptor: int
) -> None:
    code = f"for _ in range(2000): open({str(tmp_path / 'a.md')!r}, 'a').close()"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        looks = 0
        while process.poll() is None:
            is_open_for_writing(descriptor)
            looks += 1
    assert process.returncode == 0
    assert looks
