"""`commonplace model`: install the model for search by meaning, or say whether it is there."""

import os

import click

from commonplace.cli import progress
from commonplace.cli.messages import notice
from commonplace.cli.output import json_option, show_json

_MEGABYTES = 84


@click.group("model")
def command() -> None:
    """Install the model for search by meaning, or show whether it is installed."""


@command.command("install")
def install() -> None:
    """Fetch the model once (84 MB), build it, and check it; offline from then on."""
    from commonplace.cli.choices.embedding_choice import models
    from commonplace.vault.embeddings.model.install import install as install_model

    with progress.shown("MB fetched") as show:
        done = install_model(
            models(os.environ), notice, arrived=lambda size: show(size // 1_000_000, _MEGABYTES)
        )
    click.echo(done.message)


@command.command("status")
@click.option("--check", is_flag=True, help="Read the model and check every byte of it.")
@json_option
@click.pass_context
def status(ctx: click.Context, *, check: bool, as_json: bool) -> None:
    """Show whether the model is installed and whole; exits with 1 if it is not."""
    from commonplace.cli.choices.embedding_choice import models
    from commonplace.vault.embeddings.model import files

    look = files.verify if check else files.status
    found = look(models(os.environ))
    if as_json:
        show_json({"state": found.state.value, "message": found.message})
    else:
        click.echo(found.message)
    ctx.exit(0 if found.state is files.ModelState.READY else 1)
