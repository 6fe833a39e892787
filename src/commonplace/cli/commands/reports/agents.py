"""`commonplace agents`: which agents your settings name, and how to get others."""

import json
import os
import shutil

import click

from commonplace.cli.options import personal_file
from commonplace.cli.output import json_option, safe, show_json


@click.command("agents")
@json_option
def command(*, as_json: bool) -> None:
    """List the agents that `commonplace chat` and the page can use.

    They are named in your own settings file, never in a vault's.
    """
    from commonplace.agent.settings import KNOWN, read_settings

    file = personal_file(os.environ)
    named = read_settings(file).agents
    if as_json:
        rows = [{"name": one.name, "installed": one.installed} for one in named.values()]
        known = [{"name": one.name, "install": one.install, "env": dict(one.env)} for one in KNOWN]
        show_json({"settings": str(file), "agents": rows, "known": known})
        return
    click.echo(f"Your settings: {file}")
    for one in named.values():
        state = "" if one.installed else "  (its program is not installed)"
        click.echo(f"  {safe(one.name)}: {safe(' '.join(one.words))}{state}")
    if not named:
        click.echo("  name no agent yet.")
    click.echo("\nKnown agents. To use one, put its lines into your settings:")
    for known in (each for each in KNOWN if each.name not in named):
        state = "installed" if shutil.which(known.words[0]) else f"get it: {known.install}"
        click.echo(f"\n# {known.title}: {state}")
        click.echo(f"[agents.{known.name}]\ncommand = {json.dumps(list(known.words))}")
        if known.env:
            pairs = ", ".join(f"{name} = {json.dumps(text)}" for name, text in known.env.items())
            click.echo(f"env = {{ {pairs} }}")
