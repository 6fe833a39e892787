"""`commonplace review` as a person runs it: by flags, in a pipe, and at a terminal."""

import json
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.wait import until

pytestmark = pytest.mark.slow

COMMONPLACE = (sys.executable, "-m", "commonplace")
MARKED = "The {--cat--}{++dog++} sat.\n"

Review = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b.md", "c.md"):
        (folder / name).write_text(MARKED)
    return folder


@pytest.fixture
def review(tmp_path: Path, vault: Path) -> Review:
    def run(*words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*COMMONPLACE, "review", str(vault), "--state", str(tmp_path / "state"), *words],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def texts(vault: Path) -> list[str]:
    return [file.read_text() for file in sorted(vault.glob("*.md"))]


def test_a_name_decides_one_suggestion_in_one_note(review: Review, vault: Path) -> None:
    listed = review("--list").stdout.splitlines()
    names = [line.split()[0] for line in listed[::2]]
    assert len(set(names)) == 3
    assert listed[1] == "    {--cat--}{++dog++}"
    assert "1 decided." in review("--accept", names[1]).stderr
    assert texts(vault) == [MARKED, "The dog sat.\n", MARKED]


def test_what_names_several_decides_none(review: Review, vault: Path) -> None:
    rows = json.loads(review("--list", "--json").stdout)["suggestions"]
    (id,) = {row["id"] for row in rows}
    complaint = review("--accept", id, code=1).stderr
    assert f"No pending suggestion has this name: {id}. Nothing was decided." in complaint
    assert texts(vault) == [MARKED] * 3
    review("--accept", rows[0]["name"], "--accept", rows[1]["name"])
    assert "1 suggestion waits." in review("--list").stderr


def test_a_list_decides_nothing(review: Review, vault: Path) -> None:
    assert "--list decides nothing" in review("--list", "--accept-all", code=2).stderr
    assert texts(vault) == [MARKED] * 3


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], 0.2)
    return os.read(terminal, 4096) if ready else b""


def at_terminal(tmp_path: Path, vault: Path, keys: bytes, **environ: str) -> str:
    """Run it at a terminal that types these keys as soon as it is asked, then hangs up."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*COMMONPLACE, "review", str(vault), "--state", str(tmp_path / "state")],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, **environ},
    )
    os.close(slave)
    shown = b""
    end = time.monotonic() + 60
    try:
        for key in [keys[n : n + 2] for n in range(0, len(keys), 2)]:
            asked = shown.count(b"]? ")
            while shown.count(b"]? ") == asked and time.monotonic() < end:
                shown += _read(master)
            # What is typed before the program listens is lost.
            until(lambda: not termios.tcgetattr(master)[3] & termios.ICANON)
            os.write(master, key)
        while process.poll() is None and time.monotonic() < end:
            shown += _read(master)
    except OSError:
        pass  # the terminal is closed at the other end
    finally:
        process.kill()
        process.wait(10)
    os.close(master)
    return shown.decode()


def test_enter_behind_a_key_is_no_question(tmp_path: Path, vault: Path) -> None:
    shown = at_terminal(tmp_path, vault, b"y\ry\ry\r", NO_COLOR="1")
    assert texts(vault) == ["The dog sat.\n"] * 3
    assert "show this help" not in shown
    assert "{--cat--}{++dog++}" in shown
    assert "\x1b[" not in shown


def test_what_was_taken_back_is_asked_again(tmp_path: Path, vault: Path) -> None:
    shown = at_terminal(tmp_path, vault, b"y\ru\rs\rs\rs\r")
    assert shown.count("(1/3)") == 2
    assert texts(vault) == [MARKED] * 3


def test_the_end_of_input_ends_it(tmp_path: Path, vault: Path) -> None:
    shown = at_terminal(tmp_path, vault, b"\x04")
    assert "Traceback" not in shown
    assert texts(vault) == [MARKED] * 3
