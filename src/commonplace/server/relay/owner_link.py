"""The way to the vault's owner, whoever that is: found, greeted, lost, and found again.

When no owner answers, this process claims the vault and starts one in a thread; races are settled
by the lock, and whoever lost one tries again a moment later. Never blocks for long.
"""

import os
import socket
import time
from collections.abc import Callable
from typing import Protocol

from commonplace import __version__
from commonplace.errors import CommonplaceError, Unavailable
from commonplace.server.owner.handshake import (
    WELCOME_SECONDS_MAX,
    Welcome,
    hello,
    line,
    parse_answer,
)
from commonplace.server.owner.line_buffer import LineBuffer, TooLong
from commonplace.vault.owner import Claim, claim, connect
from commonplace.vault.settings import Settings

OWNER_LINE_MAX = 256 * 1024 * 1024

_PAUSE_MIN, _PAUSE_MAX = 0.02, 0.2
# More is asked of the system for each message anew, mapped and given back.
_BYTES = 64 * 1024


class OwnerLost(Exception):
    """The owner went away; another one is to be found."""


class OwnerInThread(Protocol):
    """An owner that runs in a thread of this process."""

    def ended(self) -> BaseException | None:
        """Wait until it has ended by itself, and say what went wrong, if anything did."""
        ...

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        ...


Own = Callable[[Settings, Claim], OwnerInThread]


class OwnerLink:
    """A connection to the owner, as far as there is one."""

    def __init__(self, settings: Settings, own: Own, notice: Callable[[str], None]) -> None:
        self._settings, self._own, self._notice = settings, own, notice
        self._session = os.urandom(8).hex()
        self._socket: socket.socket | None = None
        self._lines = LineBuffer(OWNER_LINE_MAX)
        self._owning: OwnerInThread | None = None
        self._pause = _PAUSE_MIN
        self._met = 0.0
        self.greeted = False
        self.due = 0.0
        """Until it is greeted: when `seek` has something to do."""

    @property
    def handle(self) -> int | None:
        """The descriptor to wait for."""
        return self._socket.fileno() if self._socket else None

    @property
    def owns(self) -> bool:
        """Whether the owner runs in this process."""
        return self._owning is not None

    def seek(self) -> None:
        """Find the owner or become it, unless that is done or it is too early to try again."""
        now = time.monotonic()
        if self.greeted or now < self.due:
            return
        if self._socket:
            raise Unavailable("The vault's owner does not answer. Stop it and try again.")
        self._socket = self._reached() or self._become_owner()
        if self._socket:
            self.due = now + WELCOME_SECONDS_MAX
        else:
            self._back_off()

    def send(self, waiting: bytearray) -> None:
        """Send some of what waits, and take that away."""
        assert self._socket
        try:
            del waiting[: self._socket.send(waiting[:_BYTES])]
        except BlockingIOError:
            pass
        except OSError:
            raise OwnerLost from None

    def receive(self) -> list[bytes]:
        """Give the lines that have come; the first one of all is the answer to the greeting."""
        assert self._socket
        try:
            data = self._socket.recv(_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            raise OwnerLost
        found = list(map(_whole, self._lines.feed(data)))
        if found and not self.greeted:
            self._meet(parse_answer(found.pop(0)))
        return found

    def lose(self) -> None:
        """Give up a connection whose owner is gone."""
        if self.greeted and time.monotonic() - self._met > 1:
            self._pause = _PAUSE_MIN
        if self._socket:
            self._socket.close()
        self._socket, self.greeted = None, False
        self._lines = LineBuffer(OWNER_LINE_MAX)
        self._back_off()

    def close(self) -> None:
        """Leave, and end the owner if it is in this process."""
        if self._socket:
            self._socket.close()
        if self._owning:
            self._owning.stop()

    def _reached(self) -> socket.socket | None:
        link = connect(self._settings)
        if link is None:
            return None
        try:
            link.sendall(line(hello(self._settings, "mcp", self._session)))
        except OSError:
            link.close()
            return None
        link.setblocking(False)
        return link

    def _become_owner(self) -> socket.socket | None:
        if self._owning:
            ended, self._owning = self._owning, None
            _raise(ended.ended())
        claimed = claim(self._settings)
        if claimed is None:
            return None
        self._owning = self._own(self._settings, claimed)
        return self._reached()

    def _back_off(self) -> None:
        self.due = time.monotonic() + self._pause
        self._pause = min(self._pause * 2, _PAUSE_MAX)

    def _meet(self, answer: Welcome) -> None:
        if answer.version != __version__:
            self._notice(
                f"The vault's owner (process {answer.pid}) is Commonplace {answer.version}; "
                f"this is {__version__}. Its version answers until it ends."
            )
        self.greeted, self._met = True, time.monotonic()


def _whole(text: bytes | TooLong) -> bytes:
    assert isinstance(text, bytes), "an owner's answers are far smaller"
    return text


def _raise(failure: BaseException | None) -> None:
    if isinstance(failure, CommonplaceError):
        raise failure
    if failure:
        raise Unavailable("The vault could not be opened; the log says why.") from failure
