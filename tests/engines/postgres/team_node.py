"""A node of a team with a folder of its own, for tests: in this process, or one to be killed.

python -m tests.engines.postgres.team_node URL FOLDER ACTION before|after NUMBER

It opens the vault, does something, and is killed at the moment when its folder is changed for the
NUMBERth time: before that, or just after.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

from commonplace.core.text.edits import Edit
from commonplace.vault.databases import named_alike, team_databases
from commonplace.vault.files import batch, writer
from commonplace.vault.lease.leases import Leases
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.vault import Vault

LONG = 300.0


def files_in(folder: Path) -> dict[bytes, bytes]:
    """Every file of a node's folder."""
    base = os.fsencode(folder)
    found: dict[bytes, bytes] = {}
    for place, _, names in os.walk(base):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, base)] = file.read()
    return found


def fill(folder: Path, files: dict[bytes, bytes]) -> Path:
    """Write files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        target = os.path.join(os.fsencode(folder), path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
    return folder


def end_lease(url: str) -> None:
    """Let the owner's lease run out, whatever it thinks."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE commonplace.leases SET until = '-infinity'")


def settings_of(node: Path) -> Settings:
    (node / "notes").mkdir(parents=True, exist_ok=True)
    return Settings((Root(node.name, node / "notes"),), node / "state")


@asynccontextmanager
async def owning(url: str, node: Path) -> AsyncGenerator[Vault]:
    """The vault as its owner has it, on a node that is a folder with `notes` and `state` in it."""
    async with Leases(url, node.name, seconds=LONG) as leases:
        lease = await leases.claim("team")
        assert lease is not None
        try:
            settings = await asyncio.to_thread(named_alike, settings_of(node), url, "team")
            databases = await team_databases(url, lease, settings)
            async with open_vault(settings, databases=databases) as vault:
                await vault.indexer.settled()
                yield vault
        finally:
            await leases.release(lease)


async def edit(vault: Vault) -> None:
    await vault.notes.edit("a.md", lambda _: [Edit(0, 0, "typed ")], "person:Ann")
    await vault.notes.queue.flush_all()


async def create(vault: Vault) -> None:
    await vault.write.create("new.md", "made\n")


async def rename(vault: Vault) -> None:
    await vault.renames.rename("a.md", "Folder/moved.md", "person:Ann")


async def delete(vault: Vault) -> None:
    await vault.trash.put("a.md", "Ann")


ACTIONS = {"edit": edit, "create": create, "rename": rename, "delete": delete}


def kill_at(when: str, number: int) -> None:
    """Have this process killed when a file gets its name for the numberth time."""
    left = number

    def deadly(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any) -> Any:
            nonlocal left
            left -= 1
            if not left and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = change(*arguments)
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return changed

    writer.exchange = deadly(writer.exchange)
    batch.exchange = deadly(batch.exchange)
    writer.move = deadly(writer.move)


async def main(url: str, node: Path, action: str, when: str, number: int) -> None:
    async with owning(url, node) as vault:
        kill_at(when, number)
        await ACTIONS[action](vault)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])))
