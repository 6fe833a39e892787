"""`commonplace trust`: let a vault's own settings count on this machine, or no longer."""

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from commonplace.cli import roots
from commonplace.cli.group import settled, vault_and_state
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags, TrustQuestion, state_base
from commonplace.cli.output import json_option, on_terminal, show_json
from commonplace.errors import BadArgument, CommonplaceError
from commonplace.vault import trust
from commonplace.vault.owner import connect
from commonplace.vault.settings import CONFIG_FILE
from commonplace.vault.settings.config_file import Config
from commonplace.vault.trust import WiderSetting, one_line, records as trust_records
from commonplace.vault.trust.records import TrustAnswer, TrustAnswers

_RESTART = (
    "a Commonplace process has this vault open and keeps what it was started with: restart it."
)


@click.command("trust")
@vault_and_state
@click.option("--yes", is_flag=True, help="Trust it without a question.")
@click.option("--revoke", is_flag=True, help="Trust it no longer.")
@click.option("--list", "only_list", is_flag=True, help="List your answers for all vaults.")
@json_option
def command(flags: Flags, *, yes: bool, revoke: bool, only_list: bool, as_json: bool) -> int:
    """Show what a vault's own commonplace.toml would allow, and let it count on this machine.

    Until then the file can only make things stricter. When it changes, you are asked again.
    """
    if yes + revoke + only_list > 1:
        raise BadArgument("Choose one of --yes, --revoke and --list.")
    base = state_base(flags, os.environ)
    if only_list:
        _show_list(trust_records.listed(base), as_json=as_json)
        return 0
    named, config = roots.find(flags.vault or roots.from_environment(os.environ))
    folder = named[0].path
    records, served = TrustAnswers(base, folder), _served(flags)
    if revoke:
        changed = bool(records.revoke())
        notice("trusted no longer." if changed else "it was not trusted.")
    else:
        answer = _decide(records, folder, config, yes=yes, as_json=as_json)
        if answer is None:
            notice("nothing was changed. To trust it without a terminal, add --yes.")
            return 1
        changed = answer
    if changed and served:
        notice(_RESTART)
    return 0


def asked_on_terminal() -> TrustQuestion | None:
    """Return how to ask the person who starts a server; None when nobody is there to answer."""
    if not (sys.stdin.isatty() and on_terminal()):
        return None

    def ask(folder: Path, widening: Sequence[WiderSetting]) -> bool:
        click.echo(_described(folder, widening), err=True)
        return _confirmed(len(widening))

    return ask


def _decide(
    records: TrustAnswers, folder: Path, config: Config, *, yes: bool, as_json: bool
) -> bool | None:
    """Show what there is to trust and keep the answer; None when nobody could be asked."""
    widening = trust.split(config, folder).widening
    fingerprint = trust.fingerprint(config, folder)
    known = records.answer(fingerprint)
    if as_json:
        show_json({"trusted": known or yes, "settings": [asdict(one) for one in widening]})
    elif widening:
        click.echo(_described(folder, widening))
    if not widening or known:
        notice("you trust this already." if widening else "this vault asks for nothing to trust.")
        return False
    if not yes and not sys.stdin.isatty():
        return None
    answer = yes or _confirmed(len(widening))
    records.write(fingerprint, trusted=answer, settings=[str(one) for one in widening])
    notice("trusted." if answer else "not trusted: of its settings, only the stricter ones count.")
    return answer


def _confirmed(count: int) -> bool:
    what = "this setting" if count == 1 else f"these {count} settings"
    return click.confirm(f"Do you trust {what} on this machine?", default=False, err=True)


def _described(folder: Path, widening: Sequence[WiderSetting]) -> str:
    """List what the file would change, as a difference from what holds in any vault."""
    lines = [f"{CONFIG_FILE} of {one_line(str(folder))} would allow:"]
    for one in widening:
        lines += [
            f"  {one_line(one.key)}: {one_line(one.effect)}",
            f"    - {one_line(one.before)}",
            f"    + {one_line(one.after)}",
        ]
    return "\n".join(lines)


def _served(flags: Flags) -> bool:
    """Say whether a process has the vault open."""
    try:
        link = connect(settled(flags))
    except CommonplaceError:
        return False
    if link is None:
        return False
    link.close()
    return True


def _show_list(found: Sequence[TrustAnswer], *, as_json: bool) -> None:
    if as_json:
        show_json({"vaults": [asdict(one) for one in found]})
        return
    for one in found:
        answer = "trusted" if one.trusted else "not trusted"
        when = datetime.fromtimestamp(one.time, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        click.echo(f"{one_line(one.folder)}: {answer}, {when}")
        for setting in one.settings:
            click.echo(f"    {one_line(setting)}")
    click.echo("" if found else "No vault was asked about.", err=True)
