"""Embeddings from the local model, which runs in a process of its own (`embed_worker`).

The process is started by the first text, ends by itself when nothing was asked for a while, and is
started again by the next text. One that ends before it has answered is started again at once and
asked again; after `CRASHES_MAX` in a row the caller is told, and tries later.

A question waits for the model to start, because that takes a moment and a first search that
misses what was meant is worse; but never longer than `ASKING_SECONDS` after the start, so that on
a slow machine search goes on by words meanwhile.
"""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

import numpy as np

from commonplace.errors import Starting, Unavailable
from commonplace.vault.embeddings.model import files as model
from commonplace.vault.embeddings.provider import Floats
from commonplace.vault.embeddings.worker import ModelJob, RequestKind

TEXTS_MAX = 16
CRASHES_MAX = 3
_IDLE_SECONDS = 300.0
ASKING_SECONDS = 2.0
BATCH_SECONDS = 120.0

logger = logging.getLogger(__name__)


class ProcessEmbedder:
    """The installed model, in another process. Used from several threads."""

    def __init__(
        self, data: Path, source: model.ModelSource = model.MINILM, idle: float = _IDLE_SECONDS
    ) -> None:
        found = model.status(data, source)
        if found.state is not model.ModelState.READY:
            raise Unavailable(found.message)
        self._job = ModelJob(str(data), source, os.getpid(), idle)
        self._lock = threading.Lock()
        self._process: _Process | None = None
        self._crashes = 0
        self._closed = False

    @property
    def id(self) -> str:
        """The model and the version of its build."""
        return f"{self._job.source.name}/{model.FORMAT}"

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return self._job.source.dimensions

    @property
    def process(self) -> int | None:
        """The id of the process, while there is one."""
        running = self._process
        return running.id if running and not running.ended else None

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Give one row for each text, a few at a time."""
        parts = [
            self._asked("batch", texts[first : first + TEXTS_MAX])
            for first in range(0, len(texts), TEXTS_MAX)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def embed_query(self, text: str) -> Floats:
        """Give the vector of a question."""
        return self._asked("question", [text])[0]

    def close(self) -> None:
        """End the process; whoever waits for it is told."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _asked(self, kind: RequestKind, texts: Sequence[str]) -> Floats:
        while True:
            process = self._running()
            try:
                data = process.ask(kind, texts)
            except _ProcessEnded:
                self._note_end(process)
                continue
            self._crashes = 0
            return np.frombuffer(data, np.float32).reshape(len(texts), self.dimensions)

    def _running(self) -> "_Process":
        with self._lock:
            if self._closed:
                raise Unavailable("The vault is being closed.")
            if self._process is None or self._process.ended:
                self._process = _Process(self._job)
            return self._process

    def _note_end(self, process: "_Process") -> None:
        with self._lock:
            in_order = process.ready and process.code() == 0
            if self._closed or process.counted or in_order:
                return
            process.counted = True
            self._crashes += 1
            if self._crashes >= CRASHES_MAX:
                raise Unavailable(
                    f"The search model's process ended {self._crashes} times in a row"
                    f" ({_reason(process.code())}). Is memory short? It is tried again later;"
                    " search goes by words meanwhile."
                )


class _ProcessEnded(Exception):
    """The process ended before it had answered."""


class _Process:
    """One run of the process."""

    def __init__(self, job: ModelJob) -> None:
        try:
            self._run = subprocess.Popen(
                [sys.executable, "-P", "-m", "commonplace.vault.embeddings.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # An interrupt at the keyboard is for the owner; this one ends with it.
                start_new_session=True,
            )
        except OSError as error:
            why = error.strerror or "no reason given"
            raise Unavailable(f"The search model's process cannot be started: {why}.") from error
        self._since = time.monotonic()
        self._answers: dict[int, Future[bytes]] = {}
        self._asked = 0
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self.ready = False
        self.ended = False
        self.counted = False
        self._send(job.packed())
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def id(self) -> int:
        """The process's id."""
        return self._run.pid

    def ask(self, kind: RequestKind, texts: Sequence[str]) -> bytes:
        """Send texts and wait for their vectors, in one row of bytes."""
        future: Future[bytes] = Future()
        with self._lock:
            if self.ended:
                raise _ProcessEnded
            self._asked += 1
            self._answers[self._asked] = future
            request = {"id": self._asked, "kind": kind, "texts": list(texts)}
        self._send(json.dumps(request).encode() + b"\n")
        try:
            return future.result(BATCH_SECONDS if kind == "batch" else self._patience())
        except TimeoutError:
            raise self._too_slow(kind) from None

    def _patience(self) -> float:
        if self.ready:
            return ASKING_SECONDS
        return max(0.0, self._since + ASKING_SECONDS - time.monotonic())

    def _too_slow(self, kind: RequestKind) -> Unavailable:
        if kind == "question" and not self.ready:
            return Starting("The search model is starting; search goes by words until it runs.")
        if kind == "batch":
            self.kill()
        return Unavailable("The search model does not answer. Is this machine very busy?")

    def code(self) -> int:
        """Wait for the end, and tell how it came."""
        return self._run.wait()

    def kill(self) -> None:
        """End it; it has nothing to lose."""
        self._run.kill()

    def _send(self, data: bytes) -> None:
        stdin = cast("IO[bytes]", self._run.stdin)
        try:
            with self._sending:
                stdin.write(data)
                stdin.flush()
        except (OSError, ValueError):
            pass  # it has ended: the listener tells whoever waits

    def _listen(self) -> None:
        stdout = cast("IO[bytes]", self._run.stdout)
        try:
            while (line := stdout.readline()).endswith(b"\n"):
                head = json.loads(line)
                data = stdout.read(head["size"])
                if len(data) == head["size"]:
                    self._settle(head, data)
        except Exception:  # what it says cannot be understood: it is started anew
            logger.exception("the search model's process gave a strange answer")
            self.kill()
        finally:
            self._end()

    def _settle(self, head: dict[str, object], data: bytes) -> None:
        problem = head.get("problem")
        self.ready = self.ready or not problem
        future = self._answers.pop(cast("int", head["id"]), None)
        if future is not None and problem:
            future.set_exception(Unavailable(str(problem)))
        elif future is not None:
            future.set_result(data)

    def _end(self) -> None:
        """Tell all who wait, reap the process, and close its pipes."""
        with self._lock:
            self.ended = True
            left = list(self._answers.values())
            self._answers.clear()
        self.code()
        for future in left:
            future.set_exception(_ProcessEnded())
        for pipe in (self._run.stdin, self._run.stdout):
            with suppress(OSError):  # what it did not read is of no use any more
                cast("IO[bytes]", pipe).close()


def _reason(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
