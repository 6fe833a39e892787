"""The local model in a process of its own, so that the owner of a vault stays small.

Run as `python -m commonplace.vault.embeddings.worker` with a job as a JSON line on standard input,
then one line for each request: an id, the kind, and texts. Each answer is a JSON line and as many
bytes as it says: the vectors, or none and the problem. A question never waits behind a batch: each
kind has a thread, and the one for batches leaves the processor to everybody else.

The process ends when its input ends, when the owner is gone, or when nothing was asked for a while.
Nothing is kept here, so it may end at any moment.
"""

import json
import os
import sys
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from commonplace.errors import Unavailable
from commonplace.vault.embeddings.model import files as model

if TYPE_CHECKING:
    from commonplace.vault.embeddings.local import LocalEmbedder

RequestKind = Literal["question", "batch"]

NICE = 10

_WATCH_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ModelJob:
    """Which model to run, for whom, and how long to stay when nothing is asked."""

    data: str
    source: model.ModelSource
    owner: int
    idle: float

    def packed(self) -> bytes:
        """Write it for the process."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def unpacked(cls, line: bytes) -> "ModelJob":
        """Read it in the process."""
        given = json.loads(line)
        return cls(
            given["data"], model.ModelSource(**given["source"]), given["owner"], given["idle"]
        )


class Worker:
    """Answers requests in two threads, and knows when it is not needed any more."""

    def __init__(self, job: ModelJob, output: BinaryIO) -> None:
        self._job = job
        self._output = output
        self._writing = threading.Lock()
        self._starting = threading.Lock()
        self._embedder: LocalEmbedder | None = None
        self._queues: dict[RequestKind, SimpleQueue[dict[str, Any]]] = {
            "question": SimpleQueue(),
            "batch": SimpleQueue(),
        }
        self._waiting = 0
        self._last = time.monotonic()

    def run(self, requests: BinaryIO) -> None:
        """Take requests until there are no more."""
        threading.Thread(target=self._watch, daemon=True).start()
        for kind in self._queues:
            threading.Thread(target=self._answer, args=(kind,), daemon=True).start()
        for line in requests:
            request = json.loads(line)
            self._count(1)
            self._queues[request["kind"]].put(request)

    def _answer(self, kind: RequestKind) -> None:
        while True:
            request = self._queues[kind].get()
            try:
                embedder = self._started()
                if kind == "batch":
                    _step_back()
                data, problem = embedder.embed_documents(request["texts"]).tobytes(), None
            except Unavailable as error:
                data, problem = b"", str(error)
            except Exception as error:  # noqa: BLE001 (told to who asked; the thread goes on)
                data, problem = b"", f"The search model failed: {error!r}."
            self._tell({"id": request["id"], "problem": problem}, data)
            self._count(-1)

    def _started(self) -> "LocalEmbedder":
        from commonplace.vault.embeddings.local import LocalEmbedder

        with self._starting:
            if self._embedder is None:
                made = LocalEmbedder(Path(self._job.data), source=self._job.source)
                made.embed_query("")
                self._embedder = made
                self._tell({"id": None}, b"")
            return self._embedder

    def _tell(self, head: dict[str, object], data: bytes) -> None:
        with self._writing:
            try:
                self._output.write(json.dumps(head | {"size": len(data)}).encode() + b"\n" + data)
                self._output.flush()
            except BrokenPipeError:
                os._exit(0)

    def _count(self, more: int) -> None:
        with self._writing:
            self._waiting += more
            self._last = time.monotonic()

    def _watch(self) -> None:
        """End this process when nobody needs it, or nobody is there to need it."""
        while os.getppid() == self._job.owner:
            time.sleep(min(_WATCH_SECONDS, self._job.idle))
            with self._writing:
                if not self._waiting and time.monotonic() - self._last > self._job.idle:
                    os._exit(0)
        os._exit(0)


def _step_back() -> None:
    """Let this thread run when nobody else wants to; not before the model runs, which is short."""
    if sys.platform == "linux":  # elsewhere a thread has no priority of its own
        thread = threading.get_native_id()
        nice = max(NICE, os.getpriority(os.PRIO_PROCESS, thread))
        os.setpriority(os.PRIO_PROCESS, thread, nice)


def main() -> None:
    """Serve the process that started this one."""
    # No matrix is multiplied by numpy here; threads that wait for one would take memory.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    job = ModelJob.unpacked(sys.stdin.buffer.readline())
    Worker(job, sys.stdout.buffer).run(sys.stdin.buffer)
    # The threads may be in the middle of a text that nobody waits for any more.
    os._exit(0)


if __name__ == "__main__":
    main()
