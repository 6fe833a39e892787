"""How long it takes until a dead node's vaults are all answered by the others.

python -m bench.many_vaults VAULTS [NOTES]    (needs PostgreSQL's server, as `make engines` does)

Three nodes of `serve --vaults`, the database (`fsync` off) and the client on one machine. Each
vault is opened first, through all nodes in turn; then one node is killed, and all vaults that it
had are asked for at once through the other two. Told are times by the clock, and the processor's.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx
import psycopg
from tests.engines.postgres.serve_process import ServeProcess, make_key
from tests.engines.postgres.server import SUPERUSER, PostgresServer, missing

from commonplace.cli.commands.programs.import_ import import_folder

OPENED_AT_ONCE = 30
TRIES_MAX = 20
IDLE_SECONDS = 3600.0
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def processor_seconds(pid: int) -> float:
    """Return what a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def megabytes(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6


async def first_note(http: httpx.AsyncClient, node: ServeProcess, vault: str) -> str:
    """Ask a vault for the id of its first note until it answers."""
    for _ in range(TRIES_MAX):
        try:
            answer = await http.get(f"{node.http}/v/{vault}/api/document?path=n0.md")
        except httpx.HTTPError:
            await asyncio.sleep(0.2)
            continue
        if answer.status_code == 200:
            return answer.json()["id"]
        await asyncio.sleep(float(answer.headers.get("Retry-After", "0.2")))
    raise TimeoutError(vault)


async def ask_all(
    nodes: Sequence[ServeProcess], vaults: Sequence[str], at_once: int
) -> tuple[dict[str, str], list[float]]:
    """Ask for vaults through nodes in turn; return the ids and when each came."""
    began, room = time.monotonic(), asyncio.Semaphore(at_once)
    found, after = dict[str, str](), list[float]()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(timeout=120.0, limits=limits) as http:

        async def ask(number: int, vault: str) -> None:
            async with room:
                found[vault] = await first_note(http, nodes[number % len(nodes)], vault)
                after.append(time.monotonic() - began)

        await asyncio.gather(*[ask(number, vault) for number, vault in enumerate(vaults)])
    return found, sorted(after)


def owned_by(url: str, node: ServeProcess) -> list[str]:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT vault FROM commonplace.leases WHERE until > now() AND node LIKE %s",
            (f"%:{node.process.pid}",),
        ).fetchall()
    return [vault for (vault,) in rows]


async def take_over(url: str, nodes: list[ServeProcess], vaults: list[str]) -> None:
    began = time.monotonic()
    ids, _ = await ask_all(nodes, vaults, OPENED_AT_ONCE)
    used = sum(processor_seconds(node.process.pid) for node in nodes)
    print(f"{len(ids)} vaults opened in {time.monotonic() - began:.1f} s, {used:.1f} of CPU")
    dead, *alive = nodes
    theirs = owned_by(url, dead)
    before = {node: processor_seconds(node.process.pid) for node in alive}
    dead.kill()
    dead.process.wait()
    found, after = await ask_all(alive, theirs, len(theirs))
    assert found == {vault: ids[vault] for vault in theirs}, "not the same notes as before"
    print(
        f"{len(theirs)} taken over: first after {after[0]:.1f} s, half after"
        f" {after[len(after) // 2]:.1f}, all after {after[-1]:.1f}; load {os.getloadavg()[0]:.0f}"
    )
    for node in alive:
        pid = node.process.pid
        used = processor_seconds(pid) - before[node]
        print(f"one of the others used {used:.1f} s of CPU and has {megabytes(pid):.0f} MB")


async def run(folder: Path, vaults: int, notes: int) -> None:
    server = PostgresServer(folder / "server", "fsync=off")
    server.create()
    server.start()
    try:
        with psycopg.connect(server.url("postgres", role=SUPERUSER), autocommit=True) as admin:
            admin.execute("CREATE DATABASE team")
        url, source, key = server.url("team", role=SUPERUSER), folder / "source", make_key(folder)
        source.mkdir()
        for number in range(notes):
            (source / f"n{number}.md").write_text(f"Note {number}, see [[n{number // 2}]].\n")
        names = [f"v{number}" for number in range(vaults)]
        for name in names:
            await import_folder(url, name, source, False)
        with ExitStack() as stack:
            nodes = [
                ServeProcess(name, folder, url, key, vaults=True, idle_seconds=IDLE_SECONDS)
                for name in ("one", "two", "three")
            ]
            for node in nodes:
                stack.enter_context(node)
            await take_over(url, nodes, names)
    finally:
        server.stop()


def main() -> int:
    if why := missing():
        print(why)
        return 1
    vaults, notes = int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        asyncio.run(run(Path(name), vaults, notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
