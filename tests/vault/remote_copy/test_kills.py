"""`checkout` killed at any moment goes on where it was: every word is there, and once."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.server.processes import HERE
from tests.vault.remote_copy.processes import Copy, ServedVault, files_in, hidden_in
from tests.wait import PATIENCE

pytestmark = pytest.mark.slow

MODULE = "tests.vault.remote_copy.kill_process"
MOMENTS = [
    *(("save", "before", 1), ("save", "after", 1), ("save", "after", 2)),
    *(("exchange", "before", 1), ("exchange", "after", 1), ("agree", "before", 1)),
    *(("agree", "after", 1), ("agree", "before", 3), ("move", "before", 1), ("move", "after", 1)),
    *(("write", "after", 1), ("remove", "before", 1), ("remove", "after", 1)),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServedVault]:
    with ServedVault(tmp_path_factory.mktemp("kills"), {"A.md": b""}) as served:
        yield served


def killed(copy: Copy, what: str, when: str, number: int) -> int:
    words = copy.words("--once")
    done = subprocess.run(
        [sys.executable, "-m", MODULE, when, what, str(number), *words],
        cwd=HERE,
        env=dict(os.environ),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode


@pytest.mark.parametrize(("what", "when", "number"), MOMENTS)
def test_nothing_is_lost_and_nothing_is_done_twice(
    served: ServedVault, tmp_path: Path, what: str, when: str, number: int
) -> None:
    name = f"{what} {when} {number}"  # a note that comes back has a past
    vault = served.vault / name
    vault.mkdir()
    (vault / "A.md").write_bytes(b"one\n\ntwo\n\nthree\n")
    (vault / "B.md").write_bytes(b"b\n")
    (vault / "Gone.md").write_bytes(b"gone\n")
    copy = Copy(tmp_path, served.url)
    copy.once()
    here = copy.folder / name
    (here / "A.md").write_bytes(b"one here\n\ntwo\n\nthree\n")
    (here / "New.md").write_bytes(b"new\n")
    (vault / "A.md").write_bytes(b"one\n\ntwo\n\nthree there\n")
    (vault / "B.md").write_bytes(b"b there\n")
    (vault / "Gone.md").unlink()
    assert killed(copy, what, when, number) == -signal.SIGKILL
    # Both go on writing before it is started again, on top of what they see.
    mine, theirs = (here / "A.md").read_bytes(), (vault / "A.md").read_bytes()
    (here / "A.md").write_bytes(mine.replace(b"one here", b"one here, again"))
    (vault / "A.md").write_bytes(theirs.replace(b"three there", b"three there, again"))
    copy.once()
    assert files_in(here) == {
        "A.md": b"one here, again\n\ntwo\n\nthree there, again\n",
        "B.md": b"b there\n",
        "New.md": b"new\n",
    }
    assert files_in(served.vault) == copy.files()
    assert hidden_in(copy.folder) == []


def test_a_save_that_is_sent_again_under_another_name_is_made_twice(
    served: ServedVault, tmp_path: Path
) -> None:
    """The control: without the name of a save, the words of this test would be there twice."""
    from commonplace.vault.remote_copy.server import Address, RemoteServer

    (served.vault / "C.md").write_bytes(b"one\n")
    server = RemoteServer(Address.of(served.url))
    base, saved, other = b"one\n", b"one here\n", b"one here and there\n"
    server.save("C.md", saved, "", base, "first")
    (served.vault / "C.md").write_bytes(other)
    server.save("C.md", saved, "", base, "first")
    assert server.content("C.md") == other
    server.save("C.md", saved, "", base, "second")
    server.close()
    assert (served.vault / "C.md").read_bytes().count(b" here") == 2
