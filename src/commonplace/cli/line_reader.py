"""Lines that a person writes at the terminal, for a thread that must not wait for ever.

A thread that waits in `input` cannot be told that the person has left, and the process waits for
it before it ends.
"""

import select
import socket
import sys

import click


class LineReader:
    """Reads standard input, which is a terminal, until it is closed by another thread."""

    def __init__(self) -> None:
        self._closing, self._closed = socket.socketpair()

    def ask(self, prompt: str) -> str | None:
        """Return the line that the person writes next; None when no more will come."""
        click.echo(prompt, nl=False, err=True)
        ready, _, _ = select.select([sys.stdin, self._closed], [], [])
        line = "" if self._closed in ready else sys.stdin.readline()
        return line.strip() if line else None

    def close(self) -> None:
        """Let nobody wait any more."""
        self._closing.close()
