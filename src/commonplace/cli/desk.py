"""The vault as a command sees it: opened here, or asked for through its owner.

Both have the same methods. A command must never write beside a running owner, so when there is one
its questions go to the owner's HTTP socket; else this process is the owner while the command runs,
and lets others in like any owner.
"""

import socket
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

import anyio
import anyio.to_thread

from commonplace.core.scopes import Scope
from commonplace.server.composition import compose
from commonplace.server.hello import Answer, hello, line, parse_answer
from commonplace.server.host import hosting
from commonplace.vault.approvals import Parked
from commonplace.vault.doctor import Check
from commonplace.vault.finding import Hit
from commonplace.vault.index import Pending
from commonplace.vault.owner import claim, connect, socket_folder
from commonplace.vault.review import Reviewed, Verdict
from commonplace.vault.settings import Settings
from commonplace.vault.tokens import Token
from commonplace.vault.trash import Trashed
from commonplace.vault.wishes import Choice, Json

GREETING_SECONDS_MAX = 60.0

_PAUSE = 0.05


class TokenDesk(Protocol):
    """What commands ask of a vault's access tokens."""

    def listed(self) -> list[Token]: ...  # noqa: D102
    async def create(  # noqa: D102
        self, name: str, scope: Scope, expires: float | None
    ) -> tuple[Token, str]: ...
    async def revoke(self, id: str) -> Token: ...  # noqa: D102


class Desk(Protocol):
    """What commands ask of a vault; `Vault` has these methods by itself."""

    @property
    def tokens(self) -> TokenDesk: ...  # noqa: D102
    def status(self) -> dict[str, object]: ...  # noqa: D102
    async def search(self, query: str, limit: int) -> list[Hit]: ...  # noqa: D102
    async def diagnose(self) -> list[Check]: ...  # noqa: D102
    async def refresh(  # noqa: D102
        self, *, rebuild: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> None: ...
    async def settled(self) -> None: ...  # noqa: D102
    async def pending(self) -> list[Pending]: ...  # noqa: D102
    async def decide(  # noqa: D102
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed: ...
    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed: ...  # noqa: D102
    async def undo(self, token: str) -> int: ...  # noqa: D102
    async def parked(self) -> list[Parked]: ...  # noqa: D102
    async def approve(self, id: int, who: str, scope: Choice) -> Json: ...  # noqa: D102
    async def deny(self, id: int, who: str) -> None: ...  # noqa: D102
    async def remembered(self) -> list[tuple[str, str]]: ...  # noqa: D102
    async def forget_remembered(self) -> None: ...  # noqa: D102
    async def trashed(self) -> list[Trashed]: ...  # noqa: D102
    async def restore(self, trash: str) -> str: ...  # noqa: D102


@asynccontextmanager
async def opened(
    settings: Settings, *, follow: bool = False
) -> AsyncGenerator[tuple[Desk, Answer | None]]:
    """Give the vault, and its owner if that is another process.

    With `follow`, a vault that is opened here keeps its index and files current meanwhile.
    """
    while True:
        claimed = await anyio.to_thread.run_sync(claim, settings)
        if claimed:
            with claimed:
                async with (
                    compose(settings, follow=follow) as served,
                    hosting(settings, claimed, served),
                ):
                    yield served.vault, None
            return
        asked = await anyio.to_thread.run_sync(_greeted, settings)
        if asked:
            link, owner = asked
            with link:
                from commonplace.cli.remote import Remote

                yield Remote(socket_folder(settings) / owner.socket), owner
            return
        await anyio.sleep(_PAUSE)


def _greeted(settings: Settings) -> tuple[socket.socket, Answer] | None:
    """Greet the owner as the person's own command; None when it went meanwhile."""
    link = connect(settings)
    if link is None:
        return None
    link.settimeout(GREETING_SECONDS_MAX)
    try:
        link.sendall(line(hello(settings, "desk")))
        text = link.makefile("rb").readline()
    except OSError:
        text = b""
    if not text:
        link.close()
        return None
    return link, parse_answer(text)
