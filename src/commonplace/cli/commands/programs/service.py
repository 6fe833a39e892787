"""`commonplace service`: the vault served from login on, by systemd or launchd of the person.

What is installed is shown first, and only after a yes is it written and started.
"""

import plistlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import click

from commonplace.cli.command_words import serving
from commonplace.cli.group import settled, vault_options
from commonplace.cli.messages import notice
from commonplace.cli.options import Flags
from commonplace.errors import BadArgument, Unavailable
from commonplace.vault.settings import Settings, vault_key

COMMAND_SECONDS_MAX = 60.0

_INSTALLED = (
    "The file is in its place; run that yourself, or take the file out with `service remove`."
)
_REMOVED = (
    "The file is gone all the same, and nothing starts at the next login; what runs now runs until"
    " you stop it or log out."
)


@dataclass(frozen=True, slots=True)
class Service:
    """A file for the system's own manager of services, and how that is told about it."""

    file: Path
    text: str
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]


@click.group("service")
def command() -> None:
    """Serve a vault from login on, or stop doing so (systemd or launchd)."""


@command.command("install")
@vault_options
@click.option("--port", default=8420, show_default=True, envvar="COMMONPLACE_PORT", type=int)
@click.option("--yes", is_flag=True, help="Install without asking.")
def install(flags: Flags, port: int, *, yes: bool) -> None:
    """Serve a vault on this machine from login on; what would be installed is shown first."""
    settings = settled(flags)
    words = serving(settings, flags, "serve", "--port", str(port), "--no-open")
    service = describe(settings, words, Path.home(), sys.platform)
    click.echo(f"# {service.file}")
    click.echo(service.text, nl=False)
    for line in service.start:
        click.echo(f"# {' '.join(line)}")
    if not yes and not (sys.stdin.isatty() and click.confirm("Install it?", err=True)):
        raise BadArgument("Nothing was installed. Add --yes to install without being asked.")
    service.file.parent.mkdir(parents=True, exist_ok=True)
    service.file.write_text(service.text, "utf-8")
    _run(service.start, _INSTALLED)
    notice(f"installed: http://127.0.0.1:{port} from now on, and after each login.")


@command.command("remove")
@vault_options
@click.option("--yes", is_flag=True, help="Remove without asking.")
def remove(flags: Flags, *, yes: bool) -> None:
    """Stop serving a vault from login on."""
    settings = settled(flags)
    service = describe(settings, serving(settings, flags, "serve"), Path.home(), sys.platform)
    if not service.file.exists():
        notice(f"no service is installed for this vault: there is no {service.file.name}.")
        return
    click.echo(f"# removes {service.file}")
    for line in service.stop:
        click.echo(f"# {' '.join(line)}")
    if not yes and not (sys.stdin.isatty() and click.confirm("Remove it?", err=True)):
        raise BadArgument("Nothing was removed. Add --yes to remove without being asked.")
    try:
        _run(service.stop[:1], _REMOVED)
    finally:
        service.file.unlink()
    _run(service.stop[1:], _REMOVED)
    notice("removed; your notes and the state stay where they are.")


def describe(settings: Settings, words: Sequence[str], home: Path, platform: str) -> Service:
    """Write the service that runs these words from login on; two vaults never share one."""
    name = settings.roots[0].name
    plain = "".join(letter if letter.isalnum() else "-" for letter in name.lower()).strip("-")
    label = f"commonplace-{plain or 'vault'}-{vault_key(settings.roots)[:6]}"
    if platform == "darwin":
        return _launchd(f"notes.{label}", words, home)
    return _systemd(f"{label}.service", name, words, home)


def _systemd(unit: str, name: str, words: Sequence[str], home: Path) -> Service:
    text = f"""\
[Unit]
Description=Commonplace: {_plain(name)}

[Service]
ExecStart={" ".join(map(_quoted, words))}
Restart=on-failure
TimeoutStopSec=15

[Install]
WantedBy=default.target
"""
    user = ("systemctl", "--user")
    reload = (*user, "daemon-reload")
    return Service(
        home / ".config/systemd/user" / unit,
        text,
        (reload, (*user, "enable", "--now", unit)),
        ((*user, "disable", "--now", unit), reload),
    )


def _launchd(label: str, words: Sequence[str], home: Path) -> Service:
    file = home / "Library/LaunchAgents" / f"{label}.plist"
    job = {
        "Label": label,
        "ProgramArguments": list(words),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ProcessType": "Interactive",
    }
    try:
        text = plistlib.dumps(job).decode("utf-8")
        plistlib.loads(text.encode("utf-8"))
    except (ValueError, expat.ExpatError):
        raise BadArgument("The folder's name cannot be written into a service.") from None
    load = ("launchctl", "load", "-w", str(file))
    return Service(file, text, (load,), (("launchctl", "unload", "-w", str(file)),))


def _quoted(word: str) -> str:
    """Write a word of a command so that systemd takes it as it is."""
    if any(ord(letter) < 32 for letter in word):
        raise BadArgument("The folder's name cannot be written into a service.")
    for letter, written in (("\\", "\\\\"), ('"', '\\"'), ("%", "%%"), ("$", "$$")):
        word = word.replace(letter, written)
    return f'"{word}"'


def _plain(name: str) -> str:
    return name.replace("%", "%%").replace("\\", "\\\\")


def _run(commands: Sequence[Sequence[str]], outcome: str) -> None:
    """Tell the manager of services; if it refuses, say so, and what came of it."""
    for words in commands:
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, check=False, timeout=COMMAND_SECONDS_MAX
            )
            silent = f"it ended with code {done.returncode}"
            complaint = (done.stderr.strip() or silent) if done.returncode else ""
        except (OSError, subprocess.TimeoutExpired) as error:
            complaint = str(error)
        if complaint:
            raise Unavailable(
                f"`{' '.join(words)}` did not work: {complaint.splitlines()[-1]}. {outcome}"
            )
