"""`commonplace mcp`: a client on stdin and stdout, the vault's owner on a socket.

Always a front end, even in the process that owns the vault, so there is one way for everybody. One
loop, which never blocks but in `poll`; it imports nothing heavy, so that a relay answers at once.
When an owner goes away the link finds or becomes the next one, and the client notices nothing but
a delay.
"""

import contextlib
import os
import select
import time
from collections.abc import Callable

from commonplace.errors import CommonplaceError
from commonplace.server.owner.line_buffer import LineBuffer
from commonplace.server.relay.first_answers import FirstAnswers
from commonplace.server.relay.owner_link import Own, OwnerLink, OwnerLost
from commonplace.server.relay.replay import KEPT_MAX, RelayedSession
from commonplace.vault.settings import Settings

LEAVING_SECONDS_MAX = 1.5
STARTING_SECONDS_MAX = 10.0
LAST_WORDS_SECONDS_MAX = 0.5

_PAUSE = 0.02
# More is asked of the system for each message anew, mapped and given back.
_READ = 64 * 1024
# What a pipe takes without blocking once `poll` says that it can be written to.
_WRITE = select.PIPE_BUF


class Relay:
    """One client, and whichever owner the vault has."""

    def __init__(
        self,
        settings: Settings,
        *,
        stdin: int,
        stdout: int,
        stop: int,
        own: Own,
        notice: Callable[[str], None],
    ) -> None:
        self._stdin, self._stdout, self._stop = stdin, stdout, stop
        self._settings = settings
        self._link = OwnerLink(settings, own, notice)
        self._talk = RelayedSession()
        self._lines = LineBuffer()
        self._leave_by: float | None = None
        self._stopped = False
        self._poll, self._polled = select.poll(), dict[int, int]()
        self._writable = select.poll()
        self._writable.register(stdout, select.POLLOUT)

    def run(self) -> None:
        """Relay until the client closes stdin, or `stop` becomes readable."""
        try:
            while not self._finished():
                self._link.seek()
                if self._link.owns and self._talk.first_answers is None:
                    self._talk.first_answers = FirstAnswers(self._settings)
                self._turn()
            self._write_out()
        except BrokenPipeError:
            pass  # the client is gone
        except CommonplaceError as error:
            self._say_last(str(error))
            raise
        finally:
            self._link.close()

    def _finished(self) -> bool:
        if self._stopped or self._leave_by is None:
            return self._stopped
        quiet = not self._talk.unanswered and not self._talk.to_client
        return quiet or time.monotonic() > self._leave_by

    def _turn(self) -> None:
        """Wait until something can be read or written, and do it."""
        try:
            for handle, events in self._polling().poll(self._wait()):
                self._handle(handle, events)
        except OwnerLost:
            self._link.lose()
            self._talk.lost()

    def _polling(self) -> select.poll:
        """Return what is waited with; from one message to the next it is mostly the same."""
        wanted = self._wanted()
        if wanted != self._polled:
            self._poll, self._polled = select.poll(), wanted
            for handle, events in wanted.items():
                self._poll.register(handle, events)
        return self._poll

    def _wanted(self) -> dict[int, int]:
        wanted = {self._stop: select.POLLIN}
        if self._leave_by is None and not self._talk.full:
            wanted[self._stdin] = select.POLLIN
        if self._talk.to_client:
            wanted[self._stdout] = select.POLLOUT
        if self._link.handle is not None:
            reading = select.POLLIN if len(self._talk.to_client) < KEPT_MAX else 0
            writing = select.POLLOUT if self._talk.to_owner else 0
            wanted[self._link.handle] = reading | writing
        return wanted

    def _wait(self) -> float | None:
        """Say how long to sleep at most, in milliseconds."""
        times = [] if self._link.greeted else [self._link.due]
        if self._leave_by is not None:
            times.append(self._leave_by)
        return max(min(times) - time.monotonic(), 0.0) * 1000 + 1 if times else None

    def _handle(self, handle: int, events: int) -> None:
        if handle == self._stop:
            self._stopped = True
        elif handle == self._stdin:
            self._read_client()
        elif handle == self._stdout:
            self._write_client()
        elif events & select.POLLOUT:
            self._link.send(self._talk.to_owner)
        else:
            self._read_owner()

    def _read_client(self) -> None:
        try:
            data = os.read(self._stdin, _READ)
        except OSError:
            data = b""
        for text in self._lines.feed(data or b"\n"):
            self._talk.from_client(text)
        if self._talk.to_owner:
            self._link.send(self._talk.to_owner)
        self._write_client()
        if not data:
            patience = LEAVING_SECONDS_MAX if self._link.greeted else STARTING_SECONDS_MAX
            self._leave_by = time.monotonic() + patience

    def _write_client(self) -> None:
        waiting = self._talk.to_client
        while waiting and self._writable.poll(0):
            del waiting[: os.write(self._stdout, waiting[:_WRITE])]

    def _read_owner(self) -> None:
        known = self._link.greeted
        found = self._link.receive()
        if self._link.greeted and not known:
            self._talk.resume()
            if self._leave_by is not None:
                self._leave_by = time.monotonic() + LEAVING_SECONDS_MAX
        for text in found:
            self._talk.from_owner(text)
        self._write_client()

    def _say_last(self, why: str) -> None:
        """Answer what the client asked, or is about to ask, with the reason for leaving."""
        poll = select.poll()
        poll.register(self._stdin, select.POLLIN)
        if not self._talk.unanswered and poll.poll(LAST_WORDS_SECONDS_MAX * 1000):
            self._read_client()
        self._talk.abandon(why)
        with contextlib.suppress(OSError):
            self._write_out()

    def _write_out(self) -> None:
        """Finish what was begun, so that no line is torn, to a client that reads."""
        until = time.monotonic() + LAST_WORDS_SECONDS_MAX
        self._write_client()
        while self._talk.to_client and time.monotonic() < until:
            time.sleep(_PAUSE)
            self._write_client()
