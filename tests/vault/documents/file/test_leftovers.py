"""A file that was pushed out is kept in sight: what a program writes into it yet is rescued."""

import os
from pathlib import Path

import pytest

from commonplace.vault.documents.file.leftovers import COUNT_MAX, Leftovers
from commonplace.vault.documents.file.stable_read import Caution
from tests.wait import eventually

pytestmark = pytest.mark.anyio


class Desk:
    """Leftovers, and what was rescued of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.leftovers = Leftovers(Caution())
        self.rescued: list[bytes] = []
        self.opened: list[int] = []

    async def rescue(self, data: bytes) -> None:
        self.rescued.append(data)

    def watch(self, name: str, data: bytes, now: bytes | None = None) -> Path:
        file = self.folder / name
        file.write_bytes(data if now is None else now)
        descriptor = os.open(file, os.O_RDONLY)
        self.opened.append(descriptor)
        self.leftovers.watch(descriptor, data, lambda _: False, self.rescue)
        return file

    def is_closed(self, descriptor: int) -> bool:
        try:
            os.fstat(descriptor)
        except OSError:
            return True
        return False


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_what_is_written_into_it_yet_is_rescued(desk: Desk) -> None:
    file = desk.watch("a.md", b"old\n")
    file.write_bytes(b"old\nand new\n")
    await eventually(lambda: desk.rescued)
    await desk.leftovers.close()
    assert desk.rescued == [b"old\nand new\n"]


async def test_one_that_stays_as_it_was_is_let_go(desk: Desk) -> None:
    desk.watch("a.md", b"old\n")
    await desk.leftovers.close()
    assert desk.rescued == []
    assert all(map(desk.is_closed, desk.opened))


async def test_at_the_end_all_are_looked_at_once_more(desk: Desk) -> None:
    for number in range(3):
        desk.watch(f"{number}.md", b"old\n", b"new %d\n" % number)
    await desk.leftovers.close()
    assert sorted(desk.rescued) == [b"new 0\n", b"new 1\n", b"new 2\n"]


async def test_of_too_many_each_is_looked_at_once(desk: Desk) -> None:
    for number in range(COUNT_MAX + 2):
        desk.watch(f"{number}.md", b"old\n", b"new\n")
    await eventually(lambda: len(desk.rescued) >= 2)
    await desk.leftovers.close()
    assert len(desk.rescued) == COUNT_MAX + 2
    assert all(map(desk.is_closed, desk.opened))
