"""`commonplace export`: the files of a team's vault written into a folder, every byte kept."""

from pathlib import Path

import click

from commonplace.cli import roots as folders
from commonplace.cli.choices import team_choice
from commonplace.cli.messages import notice
from commonplace.vault.team_files.folder import write_out


@click.command("export")
@click.argument("folder")
@team_choice.of_database
def command(folder: str, database: str, name: str) -> None:
    """Write the files of a team's vault, as they are at one moment, into FOLDER.

    It must be empty, or not there yet. Nodes go on meanwhile; what was typed within the last
    second may not be in the files yet.
    """
    vault = team_choice.named(database, name, typed=team_choice.was_typed("database"))
    count = write_out(database, vault, Path(folders.absolute(folder)))
    notice(f"wrote {count:,} files of the vault {vault!r}.")
