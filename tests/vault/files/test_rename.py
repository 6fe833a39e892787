"""Exchanges and moves where the kernel, or the file system, cannot do them in one step."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.errors import Conflict
from commonplace.vault.files import rename
from commonplace.vault.files.reader import RootFolder
from commonplace.vault.files.writer import Pen
from commonplace.vault.settings import Root

CALLS = ("link", "rename", "unlink", "fsync")
OLD, NEW = b"old\n", b"new\n"


class Crash(BaseException):
    """The process ends here."""


def refuse_links(*_: object, **__: object) -> None:
    raise OSError(errno.EPERM, "no links here")


@pytest.fixture(params=["links", "copies"])
def pen(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Pen]:
    """A pen without `renameat2`, and on what knows no hard links either."""
    monkeypatch.setattr(rename, "_libc", None)
    if request.param == "copies":
        monkeypatch.setattr(os, "link", refuse_links)
    (tmp_path / "a.md").write_bytes(OLD)
    disk = RootFolder(Root("v", tmp_path))
    yield Pen(disk)
    disk.close()


def crashing_after(count: int) -> Callable[[str], None]:
    left = [count]

    def step(name: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Crash(name)

    return step


def crash(monkeypatch: pytest.MonkeyPatch, count: int, work: Callable[[], object]) -> bool:
    """Do something in a process that ends before so many calls; say whether it ended."""
    step = crashing_after(count)
    with monkeypatch.context() as patch:
        for name in CALLS:
            real = getattr(os, name)

            def call(*given: Any, name: str = name, real: Any = real, **named: Any) -> Any:
                step(name)
                return real(*given, **named)

            patch.setattr(os, name, call)
        try:
            work()
        except Crash:
            return True
    return False


def test_a_swap_that_a_crash_cuts_short_is_finished_and_leaves_nothing(
    pen: Pen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in range(30):
        (tmp_path / "a.md").write_bytes(OLD)
        ended = crash(monkeypatch, count, lambda: pen.swap("a.md", NEW, "t"))
        now = (tmp_path / "a.md").read_bytes()
        left = pen.spare("a.md", "t")
        # Either nothing happened yet, or what was there lies beside it to be looked at.
        if now == NEW:
            assert left is not None, count
            assert left.data == OLD, count
        else:
            assert now == OLD, count
        before, _ = pen.swap("a.md", b"next\n", "t")
        assert before == now
        pen.clear("a.md", "t")
        assert os.listdir(tmp_path) == ["a.md"], count
        if not ended:
            return
    raise AssertionError("it never came to its end")


def test_what_another_program_writes_in_the_last_moment_comes_out(
    pen: Pen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.rename

    def late(*given: Any, **named: Any) -> None:
        if given[1] == "a.md":
            with (tmp_path / "a.md").open("ab") as file:
                file.write(b"late\n")
        real(*given, **named)

    monkeypatch.setattr(os, "rename", late)
    before, _ = pen.swap("a.md", NEW, "t")
    assert before == b"old\nlate\n"
    assert (tmp_path / "a.md").read_bytes() == NEW


def test_what_another_program_writes_into_the_old_file_afterwards_is_seen(
    pen: Pen, tmp_path: Path
) -> None:
    with (tmp_path / "a.md").open("r+b", buffering=0) as saver:
        pen.swap("a.md", NEW, "t", patient=False)
        saver.truncate(0)
        saver.write(b"saved\n")
        left = pen.spare("a.md", "t")
    assert left is not None
    assert left.data == b"saved\n"
    pen.clear("a.md", "t")
    assert pen.spare("a.md", "t") is None
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_file_of_which_only_a_copy_could_be_kept_is_replaced_if_it_is_as_expected(
    pen: Pen, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if "copies" not in request.node.callspec.id:
        pytest.skip("the file itself comes out, whatever it holds")
    with pytest.raises(BlockingIOError):
        pen.swap("a.md", NEW, "t", expected=lambda there: there == b"else\n")
    assert (tmp_path / "a.md").read_bytes() == OLD
    assert os.listdir(tmp_path) == ["a.md"]
    assert pen.swap("a.md", NEW, "t", expected=lambda there: there == OLD)[0] == OLD


def test_a_note_is_made_renamed_and_never_put_over_another(pen: Pen, tmp_path: Path) -> None:
    pen.create("b.md", b"b", "t")
    with pytest.raises(Conflict):
        pen.create("b.md", b"other", "t")
    with pytest.raises(Conflict):
        pen.rename("a.md", "b.md")
    pen.rename("a.md", "sub/c.md")
    assert pen.trash("b.md") == ".trash/b.md"
    assert (tmp_path / "sub/c.md").read_bytes() == OLD
    assert sorted(os.listdir(tmp_path)) == [".trash", "sub"]


def test_a_move_that_a_crash_cuts_short_loses_nothing(
    pen: Pen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in range(10):
        (tmp_path / "a.md").write_bytes(OLD)
        ended = crash(monkeypatch, count, lambda: pen.rename("a.md", "b.md"))
        texts = [path.read_bytes() for path in tmp_path.iterdir()]
        assert OLD in texts, count
        for path in tmp_path.iterdir():
            path.unlink()
        if not ended:
            return
    raise AssertionError("it never came to its end")


def test_a_file_system_without_modes_can_be_written(
    pen: Pen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no modes here")

    monkeypatch.setattr(os, "fchmod", refuse)
    pen.create("b.md", b"b", "t")
    pen.swap("b.md", b"c", "t")
    assert (tmp_path / "b.md").read_bytes() == b"c"
