"""Asks a process of its own to try what may take long, and ends it when it does (`trial_worker`).

The process is started when it is first needed and ends when it was not needed for a while. One
question is asked at a time.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO, NamedTuple, cast

from commonplace.errors import Unavailable
from commonplace.vault.documents.trial_worker import ERRORS, MessageParts, Slow, packed, unpacked

TRIAL_SECONDS_MAX = 10.0
READING_SECONDS_MAX = 60.0
_IDLE_SECONDS = 60.0


class Joined(NamedTuple):
    """A log as one update, the digest of the document that it loads as, and its items."""

    update: bytes
    digest: bytes
    items: int


class Trials:
    """A process that tries updates and logs before they are let near a document."""

    def __init__(self, idle: float = _IDLE_SECONDS) -> None:
        self._idle = idle
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ending: threading.Timer | None = None
        self._closed = False

    async def try_update(self, document: str, state: bytes, update: bytes) -> MessageParts:
        """Return an update in pieces that are each applied quickly, or refuse it."""
        return await self._ask("try_update", document, [state, update], TRIAL_SECONDS_MAX)

    async def join(self, document: str, updates: Sequence[bytes]) -> Joined:
        """Return a log as one update that loads quickly; `Slow` if there is none."""
        update, digest, items = await self._ask("join", document, updates, TRIAL_SECONDS_MAX)
        return Joined(update, digest, int(items))

    async def read_text(self, document: str, updates: Sequence[bytes]) -> str:
        """Return the text of a log, however slow; `Slow` if that takes for ever."""
        (text,) = await self._ask("read_text", document, updates, READING_SECONDS_MAX)
        return text.decode()

    def close(self) -> None:
        """End the process."""
        self._closed = True
        if (process := self._process) is not None:
            process.kill()
        with self._lock:
            self._end()

    async def _ask(
        self, task: str, document: str, parts: Sequence[bytes], seconds: float
    ) -> MessageParts:
        request = packed({"task": task, "document": document, "seconds": seconds}, parts)
        return await asyncio.to_thread(self._answer, request, seconds)

    def _answer(self, request: bytes, seconds: float) -> MessageParts:
        with self._lock:
            process = self._running()
            late = threading.Timer(seconds, process.kill)
            late.start()
            try:
                answer = _exchange(process, request)
            finally:
                late.cancel()
            if answer is None:
                self._end()
                raise Slow
            self._end_later()
        head, parts = answer
        if "error" in head:
            raise ERRORS[int(head["kind"])](head["error"])
        return parts

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._closed:
            raise Unavailable("The vault is being closed.")
        if self._ending is not None:
            self._ending.cancel()
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "commonplace.vault.documents.trial_worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            except OSError as error:
                why = error.strerror or "no reason given"
                raise Unavailable(f"A process cannot be started: {why}. Try again.") from error
        return self._process

    def _end_later(self) -> None:
        self._ending = threading.Timer(self._idle, self._end_idle)
        self._ending.daemon = True
        self._ending.start()

    def _end_idle(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _exchange(
    process: "subprocess.Popen[bytes]", request: bytes
) -> tuple[dict[str, str], MessageParts] | None:
    """Ask a process; None if it ended before it had answered."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(request)
        process.stdin.flush()
        return unpacked(cast("BinaryIO", process.stdout))
    except (OSError, ValueError):
        return None
