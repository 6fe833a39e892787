"""What `serve` says once it is ready: what it found in the vault, and what to do first."""

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from commonplace.cli.messages import notice
from commonplace.vault.settings import Settings

_WAIT_SECONDS_MAX = 30.0
_STEP_SECONDS = 0.2

_PROGRAMS = {
    ".obsidian": "Obsidian",
    "logseq": "Logseq",
    ".foam": "Foam",
    ".dendron.yml": "Dendron",
    ".git": "git",
    ".stfolder": "Syncthing",
    ".vscode": "VS Code",
}
"""What other programs leave in a folder of notes; none of it is touched."""


def has_screen(environ: Mapping[str, str], platform: str) -> bool:
    """Say whether a person sits at a terminal where a browser can open.

    Over SSH it would open elsewhere, and without a display a browser may take over the terminal.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or environ.get("SSH_CONNECTION"):
        return False
    return platform == "darwin" or any(map(environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def tell(url: str, settings: Settings) -> None:
    """Say what was found, once the index is built or it takes long."""
    end = time.monotonic() + _WAIT_SECONDS_MAX
    while (status := _status(url)) is None or not status["current"]:
        if time.monotonic() > end:
            break
        time.sleep(_STEP_SECONDS)
    if status:
        notice(describe(status, programs(root.path for root in settings.roots)))


def describe(status: Mapping[str, Any], beside: Iterable[str]) -> str:
    """Say in a line what a vault holds."""
    if building := status["building"]:
        return f"reading your notes: {building['read']:,} of {building['todo']:,} so far."
    if unread := status["unindexed"]:
        return f"reading your notes: 0 of {unread:,} so far."
    counts = status["index"]
    if not counts["notes"]:
        return "no notes here yet: write the first one in the page, or drop Markdown files in."
    unresolved = f", {counts['unresolved']:,} of them unresolved" if counts["unresolved"] else ""
    words = f"found {_count(counts['notes'], 'note')}, {_count(counts['links'], 'link')}"
    others = ", ".join(beside)
    also = f"; {others} may go on beside this, untouched" if others else ""
    return f"{words}{unresolved}{also}."


def programs(folders: Iterable[Path]) -> list[str]:
    """Name the other programs whose settings lie in these folders."""
    found = {name for folder in folders for name in _PROGRAMS if (folder / name).exists()}
    return [label for name, label in _PROGRAMS.items() if name in found]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _status(url: str) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(f"{url}/api/status", timeout=5) as answer:  # noqa: S310 (ours)
            return json.load(answer)
    except (OSError, ValueError, urllib.error.URLError):
        return None
