"""A process that appends to a log and says what was saved, until it is killed.

python -m tests.vault.log.append_process FILE durable|eager
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from commonplace.vault.log.log import LogEntry
from commonplace.vault.log.sqlite import SqliteLog

LAST = 480


async def append(log: SqliteLog, first: int, mode: str) -> None:
    for number in range(first, 1_000_000, 4):
        saved = log.append(LogEntry(f"note {first}", str(number).encode(), "ana"))
        if mode == "durable":
            await saved
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        if mode == "eager" and number >= LAST:  # the worst moment: right after it said so
            os.kill(os.getpid(), signal.SIGKILL)


async def main(path: Path, mode: str) -> None:
    async with SqliteLog(path) as log:
        await asyncio.gather(*[append(log, first, mode) for first in range(4)])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
