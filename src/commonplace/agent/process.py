"""An agent's process: started with a clean environment, in a group of its own, and ended whole."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from commonplace.agent.settings import AgentCommand
from commonplace.errors import Unavailable

BUFFER_BYTES_MAX = 256 * 1024
STDERR_CHARS_MAX = 4_000
_ENDING_SECONDS_MAX = 3.0

_KEPT = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "TZ")
_KEPT_BEGINNINGS = ("LC_", "XDG_")


def clean_environment(entry: Mapping[str, str]) -> dict[str, str]:
    """Return what an agent finds in its environment: the usual few, and what its entry names."""
    usual = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_BEGINNINGS)
    }
    return {**usual, **entry}


class AgentProcess:
    """A running agent; the last lines that it complained with are kept for people."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self.stdin = process.stdin
        self.stdout = process.stdout
        self._complaint = ""
        self._drain = asyncio.create_task(self._read_complaints())

    @classmethod
    async def start(cls, agent: AgentCommand, folder: Path) -> "AgentProcess":
        """Start an agent with `folder` as its working folder."""
        try:
            process = await asyncio.create_subprocess_exec(
                *agent.words,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=folder,
                env=clean_environment(agent.env),
                limit=BUFFER_BYTES_MAX,
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(
                f"The agent {agent.name} cannot be started ({agent.words[0]}: {error.strerror})."
                " Is it installed? See `commonplace agents`."
            ) from None
        return cls(process)

    @property
    def complaint(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._complaint.strip()

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.returncode

    async def wait(self) -> int:
        """Wait until it has ended, and return how."""
        return await self._process.wait()

    async def end(self) -> None:
        """End it with everything that it started: politely, then not."""
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _ENDING_SECONDS_MAX)
        self._signal(signal.SIGKILL)
        await self._process.wait()
        self._drain.cancel()
        with suppress(asyncio.CancelledError):
            await self._drain

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _read_complaints(self) -> None:
        assert self._process.stderr is not None
        while data := await self._process.stderr.read(BUFFER_BYTES_MAX):
            text = self._complaint + data.decode(errors="replace")
            self._complaint = text[-STDERR_CHARS_MAX:]
