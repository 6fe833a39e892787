"""Hints that files changed: each vault hears of its own, by itself or from a watcher of many."""

import threading
from contextlib import nullcontext
from pathlib import Path

import anyio
import pytest

from commonplace.vault.files import watch
from commonplace.vault.files.roots import Roots
from commonplace.vault.settings import Root, Settings
from tests.wait import eventually

pytestmark = pytest.mark.anyio


class Follower:
    """Follows one vault, and keeps what it was told."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.told: set[str] = set()
        self._settings = Settings((Root(folder.name, folder),), folder / "state")

    async def follow(self) -> None:
        await watch.follow(self._settings, Roots(self._settings), self.look_at)

    async def look_at(self, paths: set[str]) -> None:
        self.told |= paths

    async def hears(self, path: str) -> None:
        """Write until it is told of it: a watcher takes a moment to begin."""

        def written() -> bool:
            (self.folder / path).write_text("text")
            return path in self.told

        await eventually(written)


def watchers() -> int:
    return sum(thread.name == "watch" for thread in threading.enumerate())


@pytest.mark.parametrize(("together", "threads"), [(True, 1), (False, 3)])
async def test_each_vault_hears_of_its_own_changes(
    tmp_path: Path, together: bool, threads: int
) -> None:
    await eventually(lambda: watchers() == 0)
    vaults = [Follower(tmp_path / name) for name in ("a", "ab", "b")]
    with watch.sharing(tmp_path) if together else nullcontext():
        async with anyio.create_task_group() as tasks:
            for each in vaults:
                tasks.start_soon(each.follow)
            for each in vaults:
                await each.hears(f"in {each.folder.name}.md")
            assert watchers() == threads
            tasks.cancel_scope.cancel()
    for each in vaults:
        assert each.told <= {f"in {each.folder.name}.md", ""}
    await eventually(lambda: watchers() == 0)


async def test_who_follows_later_or_again_is_told_too(tmp_path: Path) -> None:
    one, two = Follower(tmp_path / "one"), Follower(tmp_path / "two")
    with watch.sharing(tmp_path):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one.follow)
            await one.hears("first.md")
            tasks.cancel_scope.cancel()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(two.follow)
            await two.hears("second.md")
            tasks.start_soon(one.follow)
            await one.hears("third.md")
            tasks.cancel_scope.cancel()
    assert "third.md" not in two.told
