"""Durable updates of a team's log: PostgreSQL and SQLite in the same run, on the same disk.

python -m bench.team [FOLDER]    (needs PostgreSQL's server, as `make engines` does)
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

import psycopg
from tests.engines.postgres.node import make_node, take
from tests.engines.postgres.server import SUPERUSER, PostgresServer, missing

from commonplace.vault.log.log import Log, LogEntry
from commonplace.vault.log.postgres import PostgresLog
from commonplace.vault.log.sqlite import SqliteLog

ROUNDS = ((1, 200), (12, 100), (200, 20))


async def measure(log: Log, name: str, writers: int, each: int) -> None:
    """Let writers append one after the other's answer; print how many a second were durable."""
    waits: list[float] = []

    async def write(number: int) -> None:
        for _ in range(each):
            asked = time.perf_counter()
            await log.append(LogEntry(f"note {number}", b"x" * 60, "person:ana"))
            waits.append(time.perf_counter() - asked)

    began = time.perf_counter()
    await asyncio.gather(*[write(number) for number in range(writers)])
    rate = writers * each / (time.perf_counter() - began)
    waits.sort()
    middle, late = waits[len(waits) // 2] * 1000, waits[int(len(waits) * 0.99)] * 1000
    print(f"{name:10} {writers:4} writers {rate:7.0f}/s  p50 {middle:5.1f} ms  p99 {late:5.1f} ms")


async def run(folder: Path) -> None:
    server = PostgresServer(folder / "server")
    server.create()
    server.start()
    try:
        with psycopg.connect(server.url("postgres", role=SUPERUSER), autocommit=True) as admin:
            admin.execute("CREATE DATABASE team")
        url = server.url("team", role=SUPERUSER)
        with make_node(url) as node:
            team, local = PostgresLog(url, take(node)), SqliteLog(folder / "live.db")
            for writers, each in ROUNDS:
                await measure(team, "PostgreSQL", writers, each)
                await measure(local, "SQLite", writers, each)
            await team.close()
            await local.close()
    finally:
        server.stop()


def main() -> int:
    if why := missing():
        print(why)
        return 1
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else "/var/tmp") as name:
        Path(name).chmod(0o755)
        asyncio.run(run(Path(name)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
