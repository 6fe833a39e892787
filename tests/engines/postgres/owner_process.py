"""A node that claims a vault and appends to its log, and says what was saved, until it is killed.

python -m tests.engines.postgres.owner_process URL NODE SECONDS durable|eager

It writes one line for each thing that happens, with the time on the machine's monotonic clock:
`owns FENCE`, `saved FENCE.NUMBER`, `refused`, `lost`. After `lost` it tries to own it again.
"""

import asyncio
import sys
import time

from commonplace.errors import Unavailable
from commonplace.vault.lease.leases import Leases
from commonplace.vault.log.log import LogEntry
from commonplace.vault.log.postgres import PostgresLog
from tests.engines.postgres.node import wait_lost


def say(*words: object) -> None:
    sys.stdout.write(" ".join(str(word) for word in (*words, time.monotonic())) + "\n")
    sys.stdout.flush()


async def append(log: PostgresLog, fence: int, first: int, mode: str) -> None:
    for number in range(first, 1_000_000, 4):
        update = f"{fence}.{number}"
        saved = log.append(LogEntry(f"note {first}", update.encode(), "ana"))
        if mode == "eager":
            say("saved", update)
            saved.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.sleep(0)
            if number % 40 == first:
                await saved
        else:
            try:
                await saved
            except Unavailable:
                say("refused")
                await asyncio.sleep(0.05)
                continue
            say("saved", update)


async def own(url: str, leases: Leases, mode: str) -> None:
    while (lease := await leases.claim("team")) is None:
        await asyncio.sleep(0.05)
    say("owns", lease.fence)
    log = await asyncio.to_thread(PostgresLog, url, lease)
    work = [asyncio.create_task(append(log, lease.fence, n, mode)) for n in range(4)]
    await wait_lost(lease)
    for task in work:
        task.cancel()
    say("lost")
    log.sever()
    await log.close()


async def main(url: str, node: str, seconds: float, mode: str) -> None:
    async with Leases(url, node, seconds=seconds) as leases:
        while True:
            try:
                await own(url, leases, mode)
            except Unavailable:
                await asyncio.sleep(0.2)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]))
