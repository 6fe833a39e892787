"""Long-lived tasks: whatever one of them meets, it goes on, and so do the others."""

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from commonplace.core.text.edits import Edit
from commonplace.vault.index.mirror import NoteChange
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Settings
from commonplace.vault.supervisor import PAUSES, STEADY_SECONDS, Supervisor
from commonplace.vault.vault import Vault
from tests.vault.conftest import write
from tests.vault.faults.disks import lockable_folder
from tests.wait import PATIENCE, empties, eventually, holds

pytestmark = pytest.mark.anyio

MakeSettings = Callable[..., Settings]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Task:
    """Fails a few times, then runs until it is cancelled."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.starts = 0
        self.steady = anyio.Event()

    async def run(self) -> None:
        self.starts += 1
        if self.starts <= self.failures:
            raise ZeroDivisionError("an input that nobody thought of")
        self.steady.set()
        await anyio.sleep_forever()


async def test_a_task_that_fails_is_told_of_and_started_again_and_others_go_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    supervisor = Supervisor(clock)
    failing, minor, other = Task(2), Task(1), Task(0)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(supervisor.keep, other.run, "other")
            tasks.start_soon(supervisor.keep, failing.run, "failing")
            tasks.start_soon(lambda: supervisor.keep(minor.run, "minor", vital=False))
            await failing.steady.wait()
            await minor.steady.wait()
            assert (failing.starts, minor.starts, other.starts) == (3, 2, 1)
            assert supervisor.problems == ["failing"]
            clock.now += PAUSES[1] + STEADY_SECONDS + 0.1
            assert supervisor.problems == []
            tasks.cancel_scope.cancel()
    assert len(caplog.records) == 3
    assert "an input that nobody thought of" in caplog.text


async def test_without_it_one_task_takes_the_others_with_it() -> None:
    """The control."""
    other = Task(0)
    ended = False
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other.run)
            await other.steady.wait()
            tasks.start_soon(Task(1).run)
            await anyio.sleep_forever()
    except* ZeroDivisionError:
        ended = True
    assert ended


def spoil_index(state: Path) -> None:
    """Take a table away that every change of the index needs."""
    with sqlite3.connect(state / "index.db", timeout=10) as database:
        database.execute("DROP TABLE links")
    database.close()


async def test_files_follow_what_is_typed_although_the_index_fails(
    make_settings: MakeSettings,
) -> None:
    settings = make_settings({"a.md": "a", "b.md": "b"})
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        assert await vault.health.problems() == []
        spoil_index(settings.state)
        for path in ("a.md", "b.md"):
            await vault.notes.edit(path, lambda text: [Edit(0, 0, "typed ")], "person:ana")
        for path in ("a.md", "b.md"):
            await holds(settings.roots[0].path / path, f"typed {path[0]}")
        await eventually(lambda: is_told(vault, "the index cannot be kept current"))
        assert await vault.texts.accepted("a.md") == "typed a"


async def is_told(vault: Vault, problem: str) -> bool:
    return problem in await vault.health.problems()


async def test_a_file_that_cannot_be_written_is_told_until_it_can(
    make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.vault.documents.file.queue._RETRY_SECONDS", (0.01,))
    settings = make_settings({"a.md": "a"})
    folder = settings.roots[0].path
    with lockable_folder(folder / "sub") as locked:
        write(folder, {"sub/b.md": "b"})
        async with open_vault(settings) as vault:
            await vault.indexer.settled()
            with locked():
                for path in ("a.md", "sub/b.md"):
                    await vault.notes.edit(path, lambda text: [Edit(0, 0, "typed ")], "person:ana")
                await eventually(lambda: is_told(vault, "files of notes cannot be written: 1"))
                await holds(folder / "a.md", "typed a")
            await empties(vault.health.problems)
        assert (folder / "sub/b.md").read_text() == "typed b"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
async def test_a_folder_that_cannot_be_watched_is_told_in_a_line_and_rescanned(
    make_settings: MakeSettings, caplog: pytest.LogCaptureFixture
) -> None:
    settings = make_settings({"a.md": "a"})
    os.mkdir(os.fsencode(settings.roots[0].path) + b"/no text \xff")
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        await eventually(lambda: "cannot be watched" in caplog.text)
        assert await vault.health.problems() == []
        (settings.roots[0].path / "b.md").write_text("b")
        await vault.indexer.refresh()
        assert vault.texts.find("b.md") == "b.md"
    assert "Traceback" not in caplog.text


async def test_a_listener_that_fails_keeps_no_other_from_hearing(
    make_settings: MakeSettings, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[NoteChange] = []

    def fail(change: NoteChange) -> None:
        raise ZeroDivisionError(change.path)

    settings = make_settings({"a.md": "a"})
    async with open_vault(settings) as vault:
        await vault.indexer.settled()
        vault.contents.follow(fail)
        vault.contents.follow(heard.append)
        (settings.roots[0].path / "b.md").write_text("b")
        await vault.indexer.update(["b.md"])
        assert NoteChange("b.md", "appeared") in heard
        assert vault.texts.find("b.md") == "b.md"
    assert "ZeroDivisionError: b.md" in caplog.text
