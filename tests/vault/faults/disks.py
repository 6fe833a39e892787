"""Disks that refuse to be written, for root too."""

import os
import subprocess
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path


@contextmanager
def lockable_folder(folder: Path) -> Generator[Callable[[], AbstractContextManager[None]]]:
    """Make a folder on a disk of its own; yields what makes that read-only for a while."""
    folder.mkdir()
    if os.geteuid() == 0:  # whom no mode keeps from writing
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)

    def let_write(allowed: bool) -> None:
        if os.geteuid() == 0:
            mode = "remount,rw" if allowed else "remount,ro"
            subprocess.run(["mount", "-o", mode, folder], check=True)
        else:
            folder.chmod(0o755 if allowed else 0o555)

    @contextmanager
    def locked() -> Generator[None]:
        let_write(False)
        try:
            yield
        finally:
            let_write(True)

    try:
        yield locked
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", "-l", folder], check=True)
