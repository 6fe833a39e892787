"""`commonplace` whose sockets drop what a slow reader has no room for, and never tell it again."""

from collections.abc import Mapping

from starlette.types import Send

from commonplace.cli import main
from commonplace.server.yjs.outbox import Outbox


async def forget_missed(self: Outbox, send: Send, missed: Mapping[int, int]) -> None:
    self._missed = None
    self._stop_timer()


Outbox._send_missed = forget_missed

if __name__ == "__main__":
    main()
