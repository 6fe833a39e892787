"""The commands of the guide's page *Backup and restore*, to be run as they stand there."""

import os
import re
import subprocess
from pathlib import Path

from tests.distribution.guide import DEMO


def run_block(
    heading: str, number: int, folder: Path, notes: Path | None = None, **environment: str
) -> None:
    """Run a shell block under a heading in a folder, for these notes."""
    page = (DEMO / "Guide" / "Backup and restore.md").read_text("utf-8")
    part = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    script = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)[number]
    if notes is not None:
        script = script.replace("~/Notes", str(notes))
    subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
