"""A disk that returns errors: nothing is acknowledged that is not saved, and all goes on after it.

The errors come from the kernel's side of each call (`strace -e inject`), so everything above it is
what runs elsewhere: SQLite, its log file, Python, our own writing of notes.
"""

import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from tests import strace
from tests.wait import empties

pytestmark = pytest.mark.slow

EDITS = 60


class Trial:
    """A vault on a disk that fails."""

    def __init__(self, folder: Path) -> None:
        self.vault, self.state = folder / "vault", folder / "state"
        self.vault.mkdir()
        (self.vault / "a.md").write_text("start\n")
        self.log = [str(self.state / name) for name in ("live.db", "live.db-wal")]
        self.yes: list[str] = []
        self.no: list[str] = []

    def run(self, calls: str, when: str, paths: list[str], kind: str = "honest") -> None:
        """Edit while these calls on these files fail."""
        edits = [
            "tests.vault.faults.failing_disk",
            str(self.vault),
            str(self.state),
            str(EDITS),
            kind,
        ]
        done = subprocess.run(
            [*strace.failing(calls, when, paths), sys.executable, "-m", *edits],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("ready\n")
        for line in done.stdout.splitlines()[1:]:
            answer, word = line.split()
            (self.yes if answer == "yes" else self.no).append(word)

    async def words(self) -> list[str]:
        """Open the vault on a good disk, and read the note from there."""
        async with open_vault(Settings((Root("vault", self.vault),), self.state)) as vault:
            await vault.indexer.settled()
            text = await vault.texts.accepted("a.md")
            await vault.notes.queue.flush_all()
            await empties(vault.notes.unmended)
        assert (self.vault / "a.md").read_text() == text
        assert [file.name for file in self.vault.iterdir()] == ["a.md"]
        return text.split()


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    return Trial(tmp_path)


@pytest.mark.parametrize(
    ("calls", "when"),
    [("fdatasync,fsync", "15+9"), ("fdatasync,fsync,pwrite64", "30..90")],
)
def test_no_edit_is_acknowledged_that_a_failing_log_did_not_save(
    trial: Trial, calls: str, when: str
) -> None:
    trial.run(calls, when, trial.log)
    assert trial.no, "nothing failed"
    assert trial.yes[-1] == "last"
    assert anyio.run(trial.words) == ["start", *trial.yes]


def test_an_early_acknowledgement_is_caught(trial: Trial) -> None:
    """The control: the same harness, with a writer that speaks too soon."""
    trial.run("fdatasync,fsync", "15+9", trial.log, "early")
    assert set(trial.yes) - set(anyio.run(trial.words))


def test_a_folder_that_cannot_be_synced_delays_the_file_and_doubles_nothing(trial: Trial) -> None:
    trial.run("fsync", "1..3", [str(trial.vault)])
    assert trial.no == []
    assert anyio.run(trial.words) == ["start", *trial.yes]
