"""`commonplace import`: a folder taken into the database of a team's server, every byte kept."""

import os
import socket
from pathlib import Path

import anyio
import anyio.to_thread
import click

from commonplace.cli import roots as folders
from commonplace.cli.choices import team_choice
from commonplace.cli.messages import notice
from commonplace.errors import Conflict, NotFound
from commonplace.vault.team_files.folder import TakenIn, take_in
from commonplace.vault.team_files.store import FileStore


@click.command("import")
@click.argument("folder")
@team_choice.of_database
@click.option(
    "--replace", is_flag=True, help="Put the folder in the place of files that are there."
)
def command(folder: str, database: str, name: str, *, replace: bool) -> None:
    """Let the files of FOLDER be those of a team's vault, byte for byte.

    Hidden files are left out, but for the trash; links are refused. No node may serve the vault
    meanwhile.
    """
    vault = team_choice.named(database, name, typed=team_choice.was_typed("database"))
    source = Path(folders.absolute(folder))
    if not source.is_dir():
        raise NotFound(f"No such folder: {folder}.")
    taken = anyio.run(import_folder, database, vault, source, replace)
    left = f" {taken.hidden:,} hidden ones were left out." if taken.hidden else ""
    notice(f"took {taken.files:,} files into the vault {vault!r}.{left}")


async def import_folder(database: str, vault: str, source: Path, replace: bool) -> TakenIn:
    """Let the files of a folder be those of a vault that no node serves."""
    from commonplace.vault.lease.leases import Leases

    async with Leases(database, f"{socket.gethostname()}:{os.getpid()}") as leases:
        lease = await leases.claim(vault)
        if lease is None:
            raise Conflict(
                f"A node serves the vault {vault!r}. Stop its nodes first; or put the files into"
                " the folder of the one that owns it."
            )
        try:
            store = await anyio.to_thread.run_sync(FileStore, database, lease)
            try:
                if not replace and (count := len(await store.listed())):
                    raise Conflict(
                        f"The vault {vault!r} has {count:,} files already. To put the folder in"
                        " their place, add --replace; `commonplace export` saves them first."
                    )
                return await take_in(store, source)
            finally:
                await store.close()
        finally:
            await leases.release(lease)
