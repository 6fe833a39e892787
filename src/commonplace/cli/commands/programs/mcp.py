"""`commonplace mcp`, as click knows it; the plain form does not come through here."""

import os

import click

from commonplace.cli.commands.programs import stdio
from commonplace.cli.group import vault_options
from commonplace.cli.options import Flags


@click.command("mcp")
@vault_options
def command(flags: Flags) -> int:
    """Serve a vault to one assistant over standard input and output.

    Any number of these share one vault: the first owns it, the others relay to it, and when it
    ends another takes over.
    """
    return stdio.start(flags, os.environ)
