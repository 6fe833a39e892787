"""A crash at any step of writing a note's file: the next start finishes it and leaves no trace."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.files import writer
from commonplace.vault.files.reader import content_sha
from commonplace.vault.files.roots import Roots
from commonplace.vault.log.log import FileRecord
from commonplace.vault.log.sqlite import SqliteLog
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests.wait import empties, eventually

pytestmark = pytest.mark.anyio

BEFORE, AFTER = "one\n", "one\ntwo\n"
STEPS = ("nothing", "intent", "written", "swapped", "seen", "cleared", "recorded")


class Crashes:
    """What the disk held at each step, as a crash would have left it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "now" / "vault").mkdir(parents=True)
        (folder / "now" / "vault" / "a.md").write_text(BEFORE)
        self.taken: list[str] = []

    def settings(self, step: str) -> Settings:
        folder = self.folder / step
        return Settings((Root("vault", folder / "vault"),), folder / "state")

    def take(self) -> None:
        if len(self.taken) < len(STEPS):
            self.taken.append(step := STEPS[len(self.taken)])
            shutil.copytree(self.folder / "now", self.folder / step, ignore=_sockets)

    def temporaries(self, step: str) -> list[str]:
        return [file.name for file in (self.folder / step / "vault").glob(".*.commonplace")]


def _sockets(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_socket()]


def around(work: Callable[..., Any], before: Callable[[], None], after: Callable[[], None]) -> Any:
    def watched(*args: object) -> object:
        before()
        result = work(*args)
        after()
        return result

    return watched


def nothing() -> None:
    pass


@pytest.fixture
def crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crashes:
    """Take the disk at each step of one write."""
    found = Crashes(tmp_path)
    put_disk = SqliteLog.put_disk

    async def put_and_take(self: SqliteLog, document: str, disk: FileRecord) -> None:
        if disk.intent is not None:
            found.take()
        await put_disk(self, document, disk)
        if disk.intent is not None or disk.base_sha == content_sha(AFTER.encode()):
            found.take()

    monkeypatch.setattr(SqliteLog, "put_disk", put_and_take)
    monkeypatch.setattr(writer, "exchange", around(writer.exchange, found.take, found.take))
    monkeypatch.setattr(Roots, "clear", around(Roots.clear, found.take, found.take))
    return found


async def test_a_crash_at_any_step_of_a_write_is_mended_and_leaves_nothing_behind(
    crashes: Crashes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_vault(crashes.settings("now")) as vault:
        await vault.indexer.settled()
        await vault.notes.edit(
            "a.md", lambda text: [Edit(len(text), len(text), "two\n")], "person:x"
        )
        await vault.notes.queue.flush_all()
    monkeypatch.undo()
    assert tuple(crashes.taken) == STEPS
    # the steps are what they should be: otherwise there would be nothing to mend
    left = [step for step in STEPS if crashes.temporaries(step)]
    assert left == ["written", "swapped", "seen"]
    files = {step: (crashes.folder / step / "vault" / "a.md").read_text() for step in STEPS}
    assert list(files.values()) == [BEFORE] * 3 + [AFTER] * 4
    for step in STEPS:
        await _starts_clean(crashes, step)


async def _starts_clean(crashes: Crashes, step: str) -> None:
    file = crashes.folder / step / "vault" / "a.md"
    async with open_vault(crashes.settings(step)) as vault:
        await vault.indexer.settled()
        await eventually(lambda: not crashes.temporaries(step) and file.read_text() == AFTER)
        await empties(vault.notes.unmended)
        assert await vault.texts.accepted("a.md") == AFTER
    assert file.read_text() == AFTER, step
    assert [one.name for one in file.parent.iterdir()] == ["a.md"], step
