"""Work shared out to processes of its own, the results taken in order.

Each worker does every n-th piece and writes the result to a pipe. A pipe holds a few results and
then makes its worker wait, so that memory stays small however slow the taker is.
"""

import fcntl
import multiprocessing
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

_PIPE_BYTES = 1 << 20  # what Linux lets anybody ask for


def shared_out(work: Callable[[int], bytes], pieces: int, workers: int) -> Generator[bytes]:
    """Yield `work(0)`, `work(1)` and so on, done by forked processes.

    They start as a copy of this one, which must have a single thread: with all modules loaded,
    and with whatever `work` refers to.
    """
    fork = multiprocessing.get_context("fork")
    pipes: list[Connection[bytes, bytes]] = []
    processes: list[BaseProcess] = []
    try:
        for first in range(workers):
            receiving, sending = fork.Pipe(duplex=False)
            _widen(sending)
            pipes.append(receiving)
            share = range(first, pieces, workers)
            given = (work, share, sending, tuple(pipes))
            processes.append(fork.Process(target=_do, args=given, daemon=True))
            processes[-1].start()
            sending.close()
        for piece in range(pieces):
            yield _taken(pipes[piece % workers])
    finally:
        for process in processes:
            process.terminate()
            process.join()


def _do(
    work: Callable[[int], bytes],
    share: range,
    sending: "Connection[bytes, bytes]",
    inherited: "Iterable[Connection[bytes, bytes]]",
) -> None:
    # Whoever holds a taking end keeps its worker waiting, when the taker is long gone.
    for taking in inherited:
        taking.close()
    with suppress(BrokenPipeError):
        for piece in share:
            sending.send_bytes(work(piece))


def _taken(pipe: "Connection[bytes, bytes]") -> bytes:
    try:
        return pipe.recv_bytes()
    except EOFError:
        raise ChildProcessError("A process that read notes ended before its time.") from None


def _widen(pipe: "Connection[bytes, bytes]") -> None:
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
