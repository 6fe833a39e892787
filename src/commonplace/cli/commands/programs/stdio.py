"""`commonplace mcp` as a process: its descriptors and signals, around the relay.

Imports nothing heavy. Standard input and output are moved out of reach first, so that no stray
print and no child process can write into the client's conversation or read from it.
"""

import fcntl
import os
import signal
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from commonplace.cli.messages import end_within, fail, log_to_stderr, notice
from commonplace.cli.options import Flags, settle, withheld_text
from commonplace.errors import CommonplaceError
from commonplace.server.relay.owner_link import OwnerInThread
from commonplace.server.relay.relay import Relay
from commonplace.vault.owner import Claim
from commonplace.vault.settings import Settings

if TYPE_CHECKING:
    from commonplace.server.owner.host import Compose

_ENDING_SECONDS_MAX = 2.0

_STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def start(flags: Flags, environ: Mapping[str, str]) -> int:
    """Serve one client with these flags, and give the exit code."""
    if os.isatty(0):
        notice("this speaks MCP to an assistant, on standard input. See: commonplace connect")
    try:
        settings = settle(flags, environ, notice)
        if unmet := withheld_text(settings, flags, environ):
            notice(unmet)
        relay(settings)
    except CommonplaceError as error:
        return fail(error)
    return 0


def relay(settings: Settings, compose: "Compose | None" = None) -> None:
    """Relay between this process's standard streams and the vault's owner."""

    def own(settings: Settings, claim: Claim) -> OwnerInThread:
        return _own(settings, claim, compose)

    stdin, stdout = _move_away(0, os.O_RDONLY), _move_away(1, os.O_WRONLY)
    with stop_signals() as stop:
        Relay(settings, stdin=stdin, stdout=stdout, stop=stop, own=own, notice=notice).run()
    end_within(_ENDING_SECONDS_MAX)


@contextmanager
def stop_signals() -> Generator[int]:
    """Give a descriptor that becomes readable when the process is told to end."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def told(number: int, _: object) -> None:
        os.write(writer, bytes([number]))

    before = {number: signal.signal(number, told) for number in _STOPPING}
    try:
        yield reader
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)


def _own(settings: Settings, claim: Claim, compose: "Compose | None") -> OwnerInThread:
    from commonplace.server.owner.thread import OwnerThread

    def load() -> "Compose":
        log_to_stderr(settings.log_level, settings.log_format)
        if compose is not None:
            return compose
        from commonplace.server.composition import compose as real

        return partial(real, late=True)

    return OwnerThread(settings, claim, load)


def _move_away(standard: int, mode: int) -> int:
    """Keep a standard stream under another number; its own leads to stderr, or to nothing."""
    kept = fcntl.fcntl(standard, fcntl.F_DUPFD_CLOEXEC, 3)
    other = os.dup(2) if mode == os.O_WRONLY else os.open(os.devnull, mode)
    os.dup2(other, standard)
    os.close(other)
    return kept
