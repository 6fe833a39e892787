"""One watcher for many vaults: each hears of its own files, and what it missed is told."""

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from commonplace.vault.files.shared_watch import SharedWatch
from tests.wait import until


class Changes:
    """What a watcher would tell, put in by hand; an error ends it."""

    def __init__(self) -> None:
        self.told: SimpleQueue[list[str] | Exception | None] = SimpleQueue()
        self.runs = 0

    def __call__(self, folders: tuple[Path, ...], stop: threading.Event) -> Iterator[Iterable[str]]:
        self.runs += 1
        while (found := self.told.get()) is not None:
            if isinstance(found, Exception):
                raise found
            yield found


class Vault:
    """Who follows."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.names: list[str] = []
        self.failures: list[str] = []

    def hear(self, names: Iterable[str]) -> None:
        self.names += names


@pytest.fixture
def vaults(tmp_path: Path) -> list[Vault]:
    return [Vault(tmp_path / name) for name in ("a", "ab")]


def test_each_vault_hears_of_its_own_files(tmp_path: Path, vaults: list[Vault]) -> None:
    changes = Changes()
    watch = SharedWatch(tmp_path, changes)
    one, other = vaults
    assert watch.is_around(one.root)
    assert not watch.is_around(one.root / "deeper")
    with (
        watch.following(one.root, one.hear, one.failures.append),
        watch.following(other.root, other.hear, other.failures.append),
    ):
        changes.told.put([f"{one.root}/n.md", f"{other.root}/x/m.md", f"{tmp_path}/stray.md"])
        until(lambda: one.names and other.names)
        assert (one.names, other.names) == ([f"{one.root}/n.md"], [f"{other.root}/x/m.md"])
    assert changes.runs == 1, "one watcher is for both"
    changes.told.put([f"{one.root}/late.md"])
    changes.told.put(None)
    until(changes.told.empty)
    assert one.names == [f"{one.root}/n.md"], "who does not follow hears nothing"


def test_a_watcher_that_fails_says_why_and_is_started_again(
    tmp_path: Path, vaults: list[Vault]
) -> None:
    changes = Changes()
    watch = SharedWatch(tmp_path, changes)
    one, other = vaults
    with watch.following(one.root, one.hear, one.failures.append):
        changes.told.put(OSError("no watches left"))
        until(lambda: one.failures)
        assert one.failures == ["File changes cannot be watched (no watches left)."]
        with watch.following(other.root, other.hear, other.failures.append):
            changes.told.put([f"{one.root}/n.md"])
            until(lambda: one.names)
            watch.close()
            changes.told.put(None)
            until(changes.told.empty)
    assert changes.runs == 2
    assert other.failures == [], "one that was closed did not fail"
