"""A command at a terminal of which the test holds the other end."""

import os
import pty
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.wait import PATIENCE, until


class Terminal:
    """What stands there is read as it comes; nothing waits for more than that."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], folder: Path) -> None:
        self._held, other = pty.openpty()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=other,
            stdout=subprocess.DEVNULL,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        os.set_blocking(self._held, False)
        self._read = b""

    @property
    def said(self) -> str:
        """All that stands there."""
        with suppress(OSError):
            self._read += os.read(self._held, 65536)
        return self._read.decode(errors="replace")

    def wait_for(self, text: str) -> str:
        """Wait until this stands there; return all that does."""
        try:
            until(lambda: text in self.said)
        except AssertionError:
            raise AssertionError(f"{text!r} did not come after {self.said!r}") from None
        return self.said

    def answer(self, text: str) -> None:
        """Type a line."""
        os.write(self._held, text.encode() + b"\n")

    def end(self) -> None:
        """Kill the command and close the terminal."""
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self._held)


@contextmanager
def terminal(
    command: Sequence[str], environ: Mapping[str, str], folder: Path
) -> Generator[Terminal]:
    """Run a command at a terminal, and end it whatever happens."""
    shown = Terminal(command, environ, folder)
    try:
        yield shown
    finally:
        shown.end()
