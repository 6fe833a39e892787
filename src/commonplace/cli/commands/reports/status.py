"""`commonplace status`: what the vault holds, how far its index is, and who owns it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click

from commonplace.cli.group import settled, vault_and_state, withheld
from commonplace.cli.options import Flags
from commonplace.cli.output import finished, json_option, safe, show_json
from commonplace.vault.settings import Settings


@click.command("status")
@vault_and_state
@json_option
def command(flags: Flags, *, as_json: bool) -> None:
    """Show what a vault holds, how far its index is, and which process owns it."""
    settings = settled(flags)
    status = finished(_status(settings))
    if as_json:
        show_json(status)
        return
    for name, value in _lines(status):
        click.echo(f"{name:<8} {safe(value)}")
    if unmet := withheld(settings, flags) or _before_trust(status):
        click.echo(f"{'trust':<8} {safe(unmet)}")


async def _status(settings: Settings) -> dict[str, Any]:
    from commonplace.cli import vault_access

    async with vault_access.opened(settings) as (vault, owner):
        about = {"pid": owner.pid, "version": owner.version, "urls": owner.urls} if owner else None
        return {**vault.health.status(), "owner": about}


def _lines(status: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for root in status["roots"]:
        gone = " (not there any more)" if root["name"] in status["missing"] else ""
        yield "folder", f"{root['name']}: {root['path']}{gone}"
    counts = status["index"]
    unreadable = f", {counts['problems']} of them unreadable" if counts["problems"] else ""
    if status.get("unindexed"):
        yield "notes", f"{status['unindexed']}, not indexed yet"
    else:
        yield "notes", f"{counts['notes']}, {counts['words']} words{unreadable}"
    yield "links", f"{counts['links']}, {counts['unresolved']} of them unresolved"
    yield "tags", f"{counts['tags']}"
    yield "index", _index(status)
    yield "meaning", meaning(status["meaning"])
    yield "owner", _owner(status["owner"])
    yield "state", status["state"]
    for write in status.get("writes", ()):
        yield "write", _write(write)


def meaning(state: dict[str, Any]) -> str:
    """Say how far search by meaning is."""
    if state["provider"] is None and state["problem"]:
        return str(state["problem"])
    if state["provider"] is None:
        return "ready; notes are embedded while a server runs"
    done = f"{state['embedded']} of {state['total']} notes embedded"
    return f"{done}. {state['problem']}" if state["problem"] else done


def _index(status: dict[str, Any]) -> str:
    if building := status["building"]:
        return f"being built: {building['read']} of {building['todo']} notes read"
    if status["current"]:
        return "up to date"
    if status.get("unindexed"):
        return "not built yet: the next start of a server builds it"
    return "as it was left; no server is running to keep it up to date"


def _write(write: dict[str, Any]) -> str:
    when = datetime.fromtimestamp(write["time"], UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    answer = f"{write['answer']}, by {write['by']}"
    what = f"{write['who']}: {write['operation']} {write['path']}"
    return f"{when} {what} ({answer}): {write['outcome']}"


def _before_trust(status: dict[str, Any]) -> str:
    """Say that the owner was started before the vault was trusted, if so."""
    if not status["owner"] or not status.get("withheld"):
        return ""
    return f"given, but process {status['owner']['pid']} was started before: restart it."


def _owner(owner: dict[str, Any] | None) -> str:
    if owner is None:
        return "none is running"
    served = f", serving {', '.join(owner['urls'])}" if owner["urls"] else ""
    return f"process {owner['pid']}{served}"
