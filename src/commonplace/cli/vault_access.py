"""The vault as a command sees it: opened here, or asked for through its owner.

Both have the same parts, with the same methods. A command must never write beside a running owner,
so when there is one its questions go to the owner's HTTP socket; else this process is the owner
while the command runs, and lets others in like any owner.
"""

import getpass
import socket
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.to_thread

from commonplace.core.scopes import Scope
from commonplace.errors import Unavailable
from commonplace.server.api.decisions.set_desk import SetDesk
from commonplace.server.composition import compose
from commonplace.server.owner.handshake import (
    WELCOME_SECONDS_MAX,
    Welcome,
    hello,
    line,
    parse_answer,
)
from commonplace.server.owner.host import hosting
from commonplace.vault.doctor import Check
from commonplace.vault.history.timeline import TimelineQuery
from commonplace.vault.index.queries.suggestions import PendingSuggestion
from commonplace.vault.notes.trash import Trashed
from commonplace.vault.owner import claim, connect, socket_folder
from commonplace.vault.permissions.approvals import Parked
from commonplace.vault.permissions.grants import Grant
from commonplace.vault.permissions.requests import Json, PermissionChoice
from commonplace.vault.permissions.tokens import Token
from commonplace.vault.search.search import Hit
from commonplace.vault.sets.decide import Chosen
from commonplace.vault.sets.parts import ChangeSets
from commonplace.vault.settings import Settings
from commonplace.vault.suggestions.review import Reviewed, Verdict

if TYPE_CHECKING:
    from commonplace.cli.remote.owner import Owner


_PAUSE = 0.05


class TokenDesk(Protocol):
    """What commands ask of a vault's access tokens."""

    def listed(self) -> list[Token]: ...  # noqa: D102
    async def create(  # noqa: D102
        self, name: str, scope: Scope, expires: float | None, folders: Iterable[str] = ()
    ) -> tuple[Token, str]: ...
    async def revoke(self, id: str) -> Token: ...  # noqa: D102


class HealthDesk(Protocol):
    """What commands ask about how a vault is."""

    def status(self) -> dict[str, object]: ...  # noqa: D102
    async def diagnose(self) -> list[Check]: ...  # noqa: D102


class SearchDesk(Protocol):
    """What commands ask of a vault's search."""

    async def search(self, query: str, limit: int) -> list[Hit]: ...  # noqa: D102


class IndexDesk(Protocol):
    """What commands ask of whoever keeps the index."""

    async def refresh(  # noqa: D102
        self, *, rebuild: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> None: ...
    async def settled(self) -> None: ...  # noqa: D102


class PendingDesk(Protocol):
    """What commands ask of the suggestions that wait."""

    async def listed(self) -> list[PendingSuggestion]: ...  # noqa: D102


class ReviewDesk(Protocol):
    """What commands ask of the review."""

    async def decide(  # noqa: D102
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed: ...
    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed: ...  # noqa: D102
    async def undo(self, token: str) -> int: ...  # noqa: D102


class PermissionDesk(Protocol):
    """What commands ask of what assistants may do."""

    async def waiting(self) -> list[Parked]: ...  # noqa: D102
    async def remembered(self) -> list[Grant]: ...  # noqa: D102
    async def revoke(self, key: str) -> None: ...  # noqa: D102
    async def forget_remembered(self) -> None: ...  # noqa: D102


class TimelineDesk(Protocol):
    """What commands ask of the history."""

    async def page(self, asked: TimelineQuery) -> Json: ...  # noqa: D102
    async def blame(self, path: str, offset: int = 1, limit: int = 0) -> Json: ...  # noqa: D102
    async def diff(self, revision: int, other: int = 0) -> Json: ...  # noqa: D102
    async def restore(self, revision: int, who: str) -> Json: ...  # noqa: D102
    async def forget(self, passage: str, path: str = "") -> Json: ...  # noqa: D102


class UndoDesk(Protocol):
    """What commands ask of whoever takes changes back."""

    async def preview(  # noqa: D102
        self,
        by: str = "",
        since: float = 0.0,
        path: str = "",
        set: str = "",  # noqa: A002
    ) -> Json: ...
    async def undo(  # noqa: D102
        self,
        who: str,
        by: str = "",
        since: float = 0.0,
        path: str = "",
        set: str = "",  # noqa: A002
    ) -> Json: ...


class TrashDesk(Protocol):
    """What commands ask of the trash."""

    async def listed(self) -> list[Trashed]: ...  # noqa: D102
    async def restore(self, trash: str) -> str: ...  # noqa: D102


class Desk(Protocol):
    """The parts of a vault that commands ask; `Vault` has them by itself."""

    @property
    def tokens(self) -> TokenDesk: ...  # noqa: D102
    @property
    def health(self) -> HealthDesk: ...  # noqa: D102
    @property
    def search(self) -> SearchDesk: ...  # noqa: D102
    @property
    def indexer(self) -> IndexDesk: ...  # noqa: D102
    @property
    def pending(self) -> PendingDesk: ...  # noqa: D102
    @property
    def review(self) -> ReviewDesk: ...  # noqa: D102
    @property
    def timeline(self) -> TimelineDesk: ...  # noqa: D102
    @property
    def undo(self) -> UndoDesk: ...  # noqa: D102
    @property
    def permissions(self) -> PermissionDesk: ...  # noqa: D102
    @property
    def trash(self) -> TrashDesk: ...  # noqa: D102
    @property
    def sets(self) -> "ChangeSets | SetsDesk": ...  # noqa: D102


class AnswerDesk(Protocol):
    """How commands answer the writes that wait."""

    async def give(  # noqa: D102
        self,
        who: str,
        approved: Sequence[int] = (),
        denied: Sequence[int] = (),
        *,
        scope: PermissionChoice = "once",
        reason: str = "",
    ) -> dict[int, Json]: ...


class SetsDesk(Protocol):
    """What commands ask of change sets, in plain JSON values."""

    @property
    def answers(self) -> AnswerDesk: ...  # noqa: D102
    async def listed(self) -> list[dict[str, Any]]: ...  # noqa: D102
    async def history(self, number: int) -> dict[str, Any]: ...  # noqa: D102
    async def shown(self, number: int) -> dict[str, Any]: ...  # noqa: D102
    async def decide(  # noqa: D102
        self, number: int, verdict: Verdict, chosen: Chosen, who: str, reason: str = ""
    ) -> dict[str, Any]: ...
    async def undo(  # noqa: D102
        self, number: int, who: str, id: int | None = None
    ) -> dict[str, Any]: ...


def set_desk(desk: Desk) -> SetsDesk:
    """Return the change sets of a vault, wherever it is open."""
    sets = desk.sets
    return SetDesk(sets) if isinstance(sets, ChangeSets) else sets


def person() -> str:
    """Return the name of the person who decides here, for the records."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in many containers
        return "someone"


@asynccontextmanager
async def opened(
    settings: Settings, *, follow: bool = False
) -> AsyncGenerator[tuple[Desk, Welcome | None]]:
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
                from commonplace.cli.remote.vault import remote_vault

                yield remote_vault(socket_folder(settings) / owner.socket), owner
            return
        await anyio.sleep(_PAUSE)


@asynccontextmanager
async def desk_owner(settings: Settings) -> "AsyncGenerator[Owner]":
    """Give whoever owns the vault, asked over HTTP; this process is the owner if nobody else is."""
    from commonplace.cli.remote.owner import Owner

    failure: BaseException | None = None
    async with opened(settings, follow=True) as (_, owner):
        asked = None if owner else await anyio.to_thread.run_sync(_greeted, settings)
        if owner is None and asked is None:
            raise Unavailable("The vault could not be opened. Try again.")
        name = owner.socket if owner else asked[1].socket if asked else ""
        asking = Owner(socket_folder(settings) / name)
        try:
            yield asking
        except BaseException as error:  # noqa: BLE001 (raised below: what is served ends in peace)
            failure = error
        finally:
            asking.close()
            if asked:
                asked[0].close()
    if failure is not None:
        raise failure


def _greeted(settings: Settings) -> tuple[socket.socket, Welcome] | None:
    """Greet the owner as the person's own command; None when it went meanwhile."""
    link = connect(settings)
    if link is None:
        return None
    link.settimeout(WELCOME_SECONDS_MAX)
    try:
        link.sendall(line(hello(settings, "desk")))
        text = link.makefile("rb").readline()
    except OSError:
        text = b""
    if not text:
        link.close()
        return None
    return link, parse_answer(text)
