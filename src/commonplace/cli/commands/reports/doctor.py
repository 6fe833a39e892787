"""`commonplace doctor`: each thing that could be wrong, whether it is, and how to mend it."""

import platform
import re
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

import click

from commonplace import __version__
from commonplace.cli.commands.reports import status
from commonplace.cli.group import settled, vault_and_state, withheld
from commonplace.cli.options import Flags, vault_words
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.errors import CommonplaceError
from commonplace.vault.settings import Settings


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


@click.command("doctor")
@vault_and_state
@click.option(
    "--database",
    envvar="COMMONPLACE_DATABASE",
    metavar="URL",
    help="Check the database of a team's server instead.",
)
@json_option
def command(flags: Flags, *, database: str | None, as_json: bool) -> int:
    """Check a vault, its index and this installation, and say how to mend what is wrong."""
    findings = _of_database(database) if database else _findings(flags)
    if as_json:
        show_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(_line(finding))
    return 0 if all(finding.ok for finding in findings) else 1


def _installation() -> list[CheckLine]:
    return [CheckLine("commonplace", True, f"{__version__}, Python {platform.python_version()}")]


def _findings(flags: Flags) -> list[CheckLine]:
    """Look as far as one can get: what fails on the way is a finding, not an end."""
    found = _installation()
    try:
        settings = settled(flags)
        if unmet := withheld(settings, flags):
            found.append(CheckLine("settings file", True, unmet))
        named = vault_words(flags)
        inside = [_for_vault(each, named) for each in finished(_inside(settings))]
        return [*found, *_model(settings), *inside]
    except CommonplaceError as error:
        return [*found, CheckLine("vault", False, str(error))]


def _of_database(url: str) -> list[CheckLine]:
    from commonplace.vault.postgres.checks import check_database

    found = _installation()
    try:
        return [*found, *(CheckLine(c.name, c.ok, c.detail, c.fix) for c in check_database(url))]
    except CommonplaceError as error:
        return [*found, CheckLine("database", False, str(error))]


def _model(settings: Settings) -> list[CheckLine]:
    """Say whether search by meaning has its model; without one, search goes by words."""
    if settings.models is None or settings.embeddings is not None:
        return []
    from commonplace.vault.embeddings.model import files
    from commonplace.vault.embeddings.model.files import ModelState

    found = files.status(settings.models)
    if found.state is ModelState.ABSENT:
        detail = "not installed, so search goes by words alone; `commonplace model install`"
        return [CheckLine("search model", True, f"{detail} fetches it (84 MB, once)")]
    return [
        CheckLine("search model", found.state is ModelState.READY, found.message, found.message)
    ]


def _for_vault(finding: CheckLine, named: str) -> CheckLine:
    """Let the command that mends it name the vault: it may be run in any folder."""
    fix = re.sub(r"commonplace (index|serve)", lambda found: f"{found[0]} {named}", finding.fix)
    return replace(finding, fix=fix)


async def _inside(settings: Settings) -> list[CheckLine]:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings) as (vault, owner):
        checks = [CheckLine(c.name, c.ok, c.detail, c.fix) for c in await vault.health.diagnose()]
        meaning = status.meaning(cast("dict[str, Any]", vault.health.status()["meaning"]))
        checks.append(CheckLine("search by meaning", True, meaning))
        if owner is None:
            return [CheckLine("owner", True, "none is running"), *checks]
        same = owner.version == __version__
        detail = f"process {owner.pid}, Commonplace {owner.version}"
        fix = "" if same else "Restart it, so that one version serves everybody."
        return [CheckLine("owner", same, detail, fix), *checks]


def _line(finding: CheckLine) -> str:
    mark = "✓" if finding.ok else "✗"
    mend = f"\n    {safe(finding.fix)}" if finding.fix and not finding.ok else ""
    return f"{mark} {safe(finding.name)}: {safe(finding.detail)}{mend}"
