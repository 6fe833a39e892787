"""Processes that decide a whole set, to be killed: `python -m tests.vault.sets.decider`.

Each line of input is `FOLDER SECONDS`: one more process is forked, while this one has a single
thread, which opens the vault there, and decides all of its set. So many seconds after it began to
decide it is killed with SIGKILL; the answer is `killed`, or, if it was sooner done, `decided` and
how long it took until all was safe, by the clock and of the processor.
"""

import os
import select
import signal
import sys
import time
from pathlib import Path

import anyio

from commonplace.vault.open import open_vault
from tests.vault.sets.deciding import everything, settings

BEGUN = b"begun\n"


async def decide(folder: Path, tell: int) -> None:
    async with open_vault(settings(folder)) as vault:
        await vault.indexer.settled()
        chosen = await everything(vault)
        os.write(tell, BEGUN)
        began, cpu = time.perf_counter(), time.process_time()
        await vault.sets.decisions.decide(1, "accept", chosen, "Ann")
        took = time.perf_counter() - began, time.process_time() - cpu
        os.write(tell, b"decided %.3f %.3f\n" % took)


def killed_after(child: int, heard: int, seconds: float) -> str:
    """Wait until a process begins, and kill it, unless it has decided by then."""
    told = os.read(heard, 100)
    assert told.startswith(BEGUN), told
    if told == BEGUN and select.select([heard], [], [], seconds)[0]:
        told += os.read(heard, 100)
    if told == BEGUN:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return told.removeprefix(BEGUN).decode().strip() or "killed"


if __name__ == "__main__":
    for line in sys.stdin:
        folder, seconds = line.split()
        heard, tell = os.pipe()
        child = os.fork()
        if child == 0:
            anyio.run(decide, Path(folder), tell)
            os._exit(0)
        os.close(tell)
        sys.stdout.write(killed_after(child, heard, float(seconds)) + "\n")
        sys.stdout.flush()
        os.close(heard)
