"""`commonplace doctor`: each thing that could be wrong, whether it is, and how to mend it."""

import platform
from dataclasses import asdict, dataclass

import click

from commonplace import __version__
from commonplace.cli.choices import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.cli.root import settled, vault_and_state
from commonplace.errors import CommonplaceError
from commonplace.vault.settings import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


@click.command("doctor")
@vault_and_state
@json_option
def command(flags: Flags, *, as_json: bool) -> int:
    """Check a vault, its index and this installation, and say how to mend what is wrong."""
    findings = _findings(flags)
    if as_json:
        show_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            click.echo(_line(finding))
    return 0 if all(finding.ok for finding in findings) else 1


def _findings(flags: Flags) -> list[Finding]:
    """Look as far as one can get: what fails on the way is a finding, not an end."""
    found = [Finding("commonplace", True, f"{__version__}, Python {platform.python_version()}")]
    try:
        return found + finished(_inside(settled(flags)))
    except CommonplaceError as error:
        what, _, fix = str(error).partition(". ")
        return [*found, Finding("vault", False, what.rstrip("."), fix or "See above.")]


async def _inside(settings: Settings) -> list[Finding]:
    from commonplace.cli import desk

    async with desk.opened(settings) as (vault, owner):
        checks = [Finding(c.name, c.ok, c.detail, c.fix) for c in await vault.diagnose()]
        if owner is None:
            return [Finding("owner", True, "none is running"), *checks]
        same = owner.version == __version__
        detail = f"process {owner.pid}, Commonplace {owner.version}"
        fix = "" if same else "Restart it, so that one version serves everybody."
        return [Finding("owner", same, detail, fix), *checks]


def _line(finding: Finding) -> str:
    mark = "✓" if finding.ok else "✗"
    mend = f"\n    {safe(finding.fix)}" if finding.fix and not finding.ok else ""
    return f"{mark} {safe(finding.name)}: {safe(finding.detail)}{mend}"
