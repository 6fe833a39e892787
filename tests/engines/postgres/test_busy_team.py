"""A vault on three nodes in which everybody works while a node is killed, stopped or restarted.

`COMMONPLACE_KILLS` says how often the owner is killed (200 in full), `COMMONPLACE_STOP_SECONDS`
for how long it is stopped (30 in full). `make soak TEAM=1` asks for both, and alone runs this.
"""

import asyncio
import os
import random
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engines.postgres.busy_team import (
    NOTES,
    PEOPLE,
    POLICY,
    BusyTeam,
    first_text,
    note,
)
from tests.engines.postgres.busy_team_faults import find_faults
from tests.engines.postgres.serve_process import ServeProcess, make_key, owner_of
from tests.engines.postgres.test_serve import document_of
from tests.wait import PATIENCE, eventually

pytestmark = [
    pytest.mark.anyio,
    # Not with `make engines` yet: what it finds is not all mended (ARCHITECTURE, "Open").
    pytest.mark.skipif("COMMONPLACE_KILLS" not in os.environ, reason="run by `make soak TEAM=1`"),
]

KILLS = int(os.environ.get("COMMONPLACE_KILLS", "2"))
STOP_SECONDS = float(os.environ.get("COMMONPLACE_STOP_SECONDS", "6"))


class EagerProcess(ServeProcess):
    module = "tests.engines.postgres.eager_serve"


class FastProcess(ServeProcess):
    module = "tests.engines.postgres.shifted_serve"
    prefix = ("env", "CLOCK_ERROR=3600")


class SlowProcess(FastProcess):
    prefix = ("env", "CLOCK_ERROR=-3600")


@dataclass(frozen=True, slots=True)
class Everybody:
    """A team at work, and the notes in which people type."""

    url: str
    team: BusyTeam
    documents: dict[str, str]

    @property
    def nodes(self) -> list[ServeProcess]:
        return self.team.nodes

    async def owner(self) -> ServeProcess:
        return await eventually(lambda: owner_of(self.url, self.nodes))

    async def faults(self) -> list[str]:
        return await find_faults(self.url, self.team, self.documents)

    def tell(self, what: str, waits: list[float]) -> None:
        """Print what was seen, and how busy the machine was."""
        waits = sorted(waits)
        late = waits[max(0, -(-len(waits) * 99 // 100) - 1)]
        done = sum(len(each.waits) for each in self.team.all)
        sys.stderr.write(
            f"{len(waits)} {what}: p50 {waits[len(waits) // 2]:.2f} s, p99 {late:.2f},"
            f" most {waits[-1]:.2f}; {done:,} things acknowledged; load {os.getloadavg()[1]:.0f}\n"
        )


@asynccontextmanager
async def everybody(
    url: str, folder: Path, kinds: Sequence[type[ServeProcess]] = (ServeProcess,) * 3
) -> AsyncGenerator[Everybody]:
    """Three nodes and who works there; the first is the owner, and its folder what is there."""
    (folder / "notes of one").mkdir()
    for number in range(NOTES):
        (folder / "notes of one" / note(number)).write_text(first_text(number))
    key = make_key(folder)
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(kind(name, folder, url, key, "--policy", POLICY))
            for kind, name in zip(kinds, ("one", "two", "three"), strict=True)
        ]
        paths = [note(number) for number in range(PEOPLE // 2)]
        documents = {path: await document_of(nodes[0], path) for path in paths}
        yield Everybody(url, BusyTeam(nodes, list(documents.values())), documents)


async def kill_owner(busy: Everybody, dice: random.Random) -> float:
    """Kill the owner at some moment and start it again; how long until a write was accepted."""
    await asyncio.sleep(dice.uniform(0.0, 1.0))
    owner = await busy.owner()
    killed = time.monotonic()
    owner.kill()
    await asyncio.to_thread(owner.process.wait, PATIENCE)
    owner.start()
    took = await busy.team.first_accepted_after(killed)
    sys.stderr.write(f"accepted again after {took:.2f} s\n")
    await asyncio.to_thread(owner.wait_ready)
    return took


async def test_whatever_was_acknowledged_is_there_once_after_owners_were_killed(
    url: str, tmp_path: Path
) -> None:
    dice = random.Random(1)
    async with everybody(url, tmp_path) as busy:
        async with busy.team.working():
            await busy.team.all_have_begun()
            waits = [await kill_owner(busy, dice) for _ in range(KILLS)]
            await busy.team.all_accepted_after(time.monotonic())
        busy.tell("kills of the owner, first write accepted again after", waits)
        assert await busy.faults() == []


async def test_what_is_acknowledged_before_its_commit_is_lost_with_the_owner(
    url: str, tmp_path: Path
) -> None:
    """The control."""
    dice = random.Random(1)
    async with everybody(url, tmp_path, [EagerProcess] * 3) as busy:
        async with busy.team.working():
            await busy.team.all_have_begun()
            await kill_owner(busy, dice)
            await busy.team.all_accepted_after(time.monotonic())
        assert [fault for fault in await busy.faults() if "there 0 times" in fault]


async def test_the_clocks_of_the_nodes_may_be_an_hour_off(url: str, tmp_path: Path) -> None:
    dice = random.Random(1)
    async with everybody(url, tmp_path, [FastProcess, SlowProcess, ServeProcess]) as busy:
        async with busy.team.working():
            await busy.team.all_have_begun()
            owners = set[str]()
            while len(owners) < len(busy.nodes):
                owners.add((await busy.owner()).http)
                await kill_owner(busy, dice)
            await busy.team.all_accepted_after(time.monotonic())
        assert await busy.faults() == []


async def test_an_owner_that_was_stopped_tells_nobody_anything_when_it_wakes(
    url: str, tmp_path: Path
) -> None:
    async with everybody(url, tmp_path) as busy:
        async with busy.team.working():
            await busy.team.all_have_begun()
            zombie = await busy.owner()
            with socket.create_connection(("127.0.0.1", zombie.port)) as open_before:
                stopped = time.monotonic()
                zombie.kill(signal.SIGSTOP)
                took = await busy.team.first_accepted_after(stopped)
                await asyncio.sleep(max(0.0, STOP_SECONDS - took))
                zombie.kill(signal.SIGCONT)
                woken = time.monotonic()
                open_before.settimeout(PATIENCE)
                assert await asyncio.to_thread(open_before.recv, 1) == b""
                closed = time.monotonic() - woken
            await busy.team.all_accepted_after(woken)
        sys.stderr.write(f"the sockets of the stopped one closed after {closed:.2f} s\n")
        busy.tell("stops of the owner, first write accepted again after", [took])
        assert await busy.owner() is not zombie
        assert await busy.faults() == []


async def test_nodes_are_restarted_one_after_the_other_and_nobody_fails(
    url: str, tmp_path: Path
) -> None:
    async with everybody(url, tmp_path) as busy:
        async with busy.team.working():
            await busy.team.all_have_begun()
            for node in busy.nodes:
                told = time.monotonic()
                node.kill(signal.SIGTERM)
                assert await asyncio.to_thread(node.process.wait, PATIENCE) == 0
                node.start()
                await asyncio.to_thread(node.wait_ready)
                await busy.team.all_accepted_after(told)
        busy.tell("writes during restarts", [wait for each in busy.team.all for wait in each.waits])
        assert await busy.faults() == []
