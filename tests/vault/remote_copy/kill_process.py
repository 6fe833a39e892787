"""`checkout` that is killed at a moment, for tests.

python -m tests.vault.remote_copy.kill_process before|after save|write|exchange|agree NUMBER WORDS…

It kills itself when something happens for the NUMBERth time: before that, or just after.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from commonplace.cli import main
from commonplace.vault.files import writer
from commonplace.vault.remote_copy.files import LocalFiles
from commonplace.vault.remote_copy.server import RemoteServer
from commonplace.vault.remote_copy.state import CopyState

PLACES: dict[str, tuple[Any, str]] = {
    "save": (RemoteServer, "save"),
    "write": (LocalFiles, "write"),
    "remove": (LocalFiles, "remove"),
    "move": (writer, "move"),
    "exchange": (writer, "exchange"),
    "agree": (CopyState, "agree"),
}


def kill_at(when: str, what: str, number: int) -> None:
    owner, name = PLACES[what]
    do: Callable[..., Any] = getattr(owner, name)
    left = number

    def deadly(*arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        now = not left  # others may do the same meanwhile
        if now and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = do(*arguments, **named)
        if now:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


if __name__ == "__main__":
    kill_at(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    sys.argv[1:] = sys.argv[4:]
    main()
