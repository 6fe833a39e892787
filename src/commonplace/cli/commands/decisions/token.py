"""`commonplace token`: who may use the vault from elsewhere, and how far."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.options import Flags, vault_words
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.core.scopes import SCOPES, Scope
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.vault.permissions.tokens import Token

_CONNECT = (
    'claude mcp add --transport http notes http://HOST:8420/mcp --header "Authorization: Bearer {}"'
)


@click.group("token")
def command() -> None:
    """Make, list and revoke the access tokens that let others use a served vault."""


@command.command("create")
@click.argument("name")
@vault_and_state
@click.option(
    "--scope",
    default="suggest",
    show_default=True,
    type=click.Choice(SCOPES),
    help="How far it goes; each includes those before it. Give `approve` to people only.",
)
@click.option(
    "--expires",
    default="90d",
    show_default=True,
    metavar="WHEN",
    help="12h, 30d, 2w, 1y, a date such as 2027-01-31, or never.",
)
@click.option(
    "--folder",
    "folders",
    multiple=True,
    metavar="FOLDER",
    help="Show nothing but what lies beneath this folder; may be given several times.",
)
@json_option
def create(
    flags: Flags,
    name: str,
    scope: Scope,
    expires: str,
    folders: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Make a token, and show its secret this once.

    NAME is how its holder is called in reviews, policies and records.
    """
    from commonplace.vault.permissions.tokens import expiry

    until = expiry(expires, time.time())
    token, secret = finished(_create(settled(flags), name, scope, until, folders))
    if as_json:
        show_json({**_row(token), "token": secret})
        return
    ends = "never expires" if token.expires is None else f"expires {_day(token.expires)}"
    click.echo(f"Token {token.id} for {safe(token.name)}: {token.scope}, {ends}.", err=True)
    if token.folders:
        click.echo(f"It reaches {safe(token.view.reach)} only; nothing else is shown.", err=True)
    click.echo("Keep the secret now: it is not shown again.", err=True)
    click.echo(secret)
    click.echo(f"\nClaude Code, on another machine:\n  {_CONNECT.format(secret)}", err=True)
    click.echo("Other clients send it as `Authorization: Bearer …`; the page asks.", err=True)
    serve = f"commonplace serve {vault_words(flags)} --host ADDRESS"
    serve += "   (or --require-token on this machine alone)"
    click.echo(f"The server asks for tokens when started so:\n  {serve}", err=True)


@command.command("list")
@vault_and_state
@json_option
def listing(flags: Flags, *, as_json: bool) -> None:
    """List all tokens; their secrets are not known."""
    tokens = finished(_listed(settled(flags)))
    if as_json:
        show_json({"tokens": [_row(token) for token in tokens]})
        return
    for token in tokens:
        until = "never" if token.expires is None else _day(token.expires)
        used = "never used" if token.used is None else f"used {_day(token.used)}"
        state = token.state(time.time())
        about = f"{token.scope:8} {state:8} expires {until:10}  {used}"
        only = f"  ({safe(token.view.reach)} only)" if token.folders else ""
        click.echo(f"{token.id}  {about}  {safe(token.name)}{only}")
    if not tokens:
        make = f"commonplace token create NAME {vault_words(flags)}"
        click.echo(f"There are no tokens. Make one: {make}", err=True)


@command.command("revoke")
@click.argument("id")
@vault_and_state
@json_option
def revoke(flags: Flags, id: str, *, as_json: bool) -> None:
    """Let nobody in with a token any more; whoever is in with it is sent away."""
    token = finished(_revoke(settled(flags), id))
    if as_json:
        show_json(_row(token))
    else:
        click.echo(f"Revoked {token.id} ({safe(token.name)}).", err=True)


async def _create(
    settings: Settings, name: str, scope: Scope, expires: float | None, folders: Sequence[str]
) -> "tuple[Token, str]":
    from commonplace.cli import vault_access

    async with vault_access.opened(settings) as (vault, _):
        return await vault.tokens.create(name, scope, expires, folders)


async def _listed(settings: Settings) -> "list[Token]":
    from commonplace.cli import vault_access

    async with vault_access.opened(settings) as (vault, _):
        return vault.tokens.listed()


async def _revoke(settings: Settings, id: str) -> "Token":
    from commonplace.cli import vault_access

    async with vault_access.opened(settings) as (vault, _):
        return await vault.tokens.revoke(id)


def _row(token: "Token") -> dict[str, object]:
    names = ("id", "name", "scope", "folders", "created", "expires", "used", "revoked")
    values: dict[str, object] = {name: getattr(token, name) for name in names}
    return {**values, "state": token.state(time.time())}


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
