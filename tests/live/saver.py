"""A program that saves a note again and again, in a process of its own.

    python tests/live/saver.py KIND NOTE COUNT PAUSE SEED

Each save reads the note, adds a line at some place and writes it all, in the way of its kind. The
lines that were saved are printed, each with the seconds it took to read and save. Nothing of ours
is imported: it is a program like any other.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PIECES = 4
PIECE_SECONDS_MAX = 0.12
VIM_WROTE = 42


@dataclass(frozen=True)
class Save:
    """A note, the text to save, and the line that is new in it."""

    note: Path
    text: str
    line: str
    at: int


def whole(save: Save) -> None:
    """Save in place: the file is emptied first, then written."""
    save.note.write_text(save.text)


def pieces(save: Save) -> None:
    """Save in place, slowly: a part of the text at a time."""
    size = len(save.text) // PIECES + 1
    with save.note.open("w") as file:
        for start in range(0, len(save.text), size):
            time.sleep(random.uniform(0, PIECE_SECONDS_MAX))
            file.write(save.text[start : start + size])
            file.flush()


def renamed(save: Save) -> None:
    """Save beside the note, then put that in its place."""
    spare = save.note.with_name(f".{save.note.name}.spare")
    spare.write_text(save.text)
    spare.replace(save.note)


def vim(save: Save, *, copy: str) -> None:
    """Let vim read the note, add the line and save."""
    command = ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es"]
    # If the file changed under its hands it asks whether to write at all, and ends, with success,
    # as nobody answers. So it has written only if it says that itself.
    written = ["write!", f"if !&modified | cquit {VIM_WROTE} | endif", "cquit 1"]
    ex = [f"set backupcopy={copy}", f"call append({save.at}, '{save.line}')", *written]
    done = subprocess.run(
        [*command, *(part for one in ex for part in ("-c", one)), str(save.note)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if done.returncode != VIM_WROTE:
        raise OSError("vim did not save")


def sed(save: Save) -> None:
    """Let `sed -i` read the note and add the line."""
    subprocess.run(["sed", "-i", f"{save.at + 1}i {save.line}", str(save.note)], check=True)


def git(save: Save) -> None:
    """Let `git checkout` put the text there: it takes the file away and makes a new one."""
    note = save.note
    home = note.with_name(f".{note.name}-git")
    base = ["git", "-c", "core.fsync=none", f"--git-dir={home}", f"--work-tree={note.parent}"]
    if not home.exists():
        subprocess.run([*base, "init", "-q"], check=True)
    blob = [*base, "hash-object", "-w", "--stdin"]
    made = subprocess.run(blob, input=save.text, capture_output=True, text=True, check=True)
    entry = f"100644,{made.stdout.strip()},{note.name}"
    subprocess.run([*base, "update-index", "--add", "--cacheinfo", entry], check=True)
    checkout = [*base, "checkout", "-q", "-f", "--", note.name]
    subprocess.run(checkout, check=True, cwd=note.parent)


def rsync(save: Save) -> None:
    """Let `rsync --inplace` bring the text from elsewhere."""
    spare = save.note.with_name(f".{save.note.name}.elsewhere")
    spare.write_text(save.text)
    command = ["rsync", "--inplace", "--ignore-times", str(spare), str(save.note)]
    subprocess.run(command, check=True)


SAVERS: dict[str, Callable[[Save], None]] = {
    "whole": whole,
    "pieces": pieces,
    "renamed": renamed,
    "vim-yes": lambda save: vim(save, copy="yes"),
    "vim-no": lambda save: vim(save, copy="no"),
    "sed": sed,
    "git": git,
    "rsync": rsync,
}
_PROGRAMS = {"vim-yes": "vim", "vim-no": "vim", "sed": "sed", "git": "git", "rsync": "rsync"}


def missing(kind: str) -> str | None:
    """Name the program of a kind if this machine does not have it."""
    program = _PROGRAMS.get(kind)
    return None if program is None or shutil.which(program) else program


def save(kind: str, note: Path, count: int, pause: float, seed: int) -> None:
    """Save a note so many times."""
    rng = random.Random(seed)
    for number in range(count):
        line = f"{rng.randrange(1 << 32):08x}-{kind}-{number}"
        while True:
            began = time.monotonic()
            try:
                lines = note.read_text().split("\n")
                # not near the end: others may have taken lines away when the program reads it
                lines.insert(at := rng.randrange(len(lines) // 2 + 1), line)
                SAVERS[kind](Save(note, "\n".join(lines), line, at))
            except (OSError, subprocess.CalledProcessError):
                continue  # the note came or went under the program's hands, which tries again
            break
        sys.stdout.write(f"{line} {time.monotonic() - began:.3f}\n")
        sys.stdout.flush()
        time.sleep(rng.uniform(0, 2 * pause))


def sync(folder: Path) -> None:
    """Write and sync in a loop, so that others have to wait for the disk."""
    file = os.open(folder / "big", os.O_WRONLY | os.O_CREAT)
    while True:
        os.pwrite(file, bytes(16 << 20), 0)
        os.fsync(file)


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        sync(Path(sys.argv[2]))
    else:
        save(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
