"""A copy, open: brought together with its server once, or kept in step until it is closed.

While the server cannot be reached the folder is left as it is, and nothing is forgotten: what was
saved meanwhile is a change of what both last agreed on.
"""

import fcntl
import hashlib
import os
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import anyio.to_thread

from commonplace.core.scopes import Scope
from commonplace.errors import BadArgument, CommonplaceError, Conflict, Unavailable
from commonplace.vault.files import watch
from commonplace.vault.remote_copy.files import LocalFiles
from commonplace.vault.remote_copy.news import News, Tell
from commonplace.vault.remote_copy.rounds import ROUND_QUIET_SECONDS, Rounds
from commonplace.vault.remote_copy.server import WAIT_SECONDS, NotLetIn, Offline, RemoteServer
from commonplace.vault.remote_copy.state import CopyState
from commonplace.vault.remote_copy.sync import FileSync

_RESCAN_SECONDS = 5.0
_RETRY_SECONDS_MAX = 5.0
_RETRY_SECONDS = 0.25
_ONCE_MAX = 100


class RemoteCopy:
    """A folder with the files of a vault that a server has."""

    def __init__(
        self,
        server: RemoteServer,
        files: LocalFiles,
        state: CopyState,
        tell: Tell,
        *,
        delete_many: bool,
    ) -> None:
        self._server, self._files, self._tell = server, files, tell
        self._sync = FileSync(server, files, state, tell)
        self._rounds = Rounds(self._sync, tell, delete_many=delete_many)
        self._cursor = ""
        self._online = True
        self._refused: frozenset[str] = frozenset()
        self._news = anyio.Event()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        server: RemoteServer,
        folder: Path,
        base: Path,
        tell: Tell,
        *,
        delete_many: bool = False,
    ) -> "AsyncGenerator[RemoteCopy]":
        """Open a folder as a copy; its state is kept beneath `base`."""
        with _state(folder, base) as state:
            state.belong_to(str(server.address))
            files = LocalFiles(folder, state, tell)
            try:
                copy = cls(server, files, state, tell, delete_many=delete_many)
                await copy._begin(state)
                yield copy
            finally:
                files.close()
                server.close()

    async def _begin(self, state: CopyState) -> None:
        """Mend what was cut short; whoever emptied the folder wants it filled anew."""
        for change in state.writing():
            agreed = self._sync.file_states.agreed.get(change.path)
            sha = agreed.sha if agreed else None
            await anyio.to_thread.run_sync(self._files.recover, sha, change)
        if not await self._files.scan():
            state.clear()
            self._sync.file_states.agreed.clear()

    @property
    def may(self) -> Scope:
        """What the access token allows."""
        return self._rounds.may

    async def ask(self, wait: int = 0) -> None:
        """Ask the server what changed there."""
        found = await anyio.to_thread.run_sync(
            self._server.files, self._cursor, wait, abandon_on_cancel=True
        )
        self._cursor, self._rounds.may = found.cursor, found.may
        self._sync.file_states.take(found)
        for path in sorted(set(found.refused) - self._refused):
            self._tell(News("trouble", path, "No file here can have this name: it is left out."))
        for path in sorted(found.large):
            self._tell(News("trouble", path, "It is too large to be copied."))
        self._refused |= frozenset(found.refused)

    async def once(self) -> None:
        """Bring folder and server together as they are now."""
        for _ in range(_ONCE_MAX):
            await self.ask()
            cursor = self._cursor
            later = await self._rounds.bring_together()
            await self.ask()
            if not later and self._cursor == cursor:
                return
            if later:
                await anyio.sleep(ROUND_QUIET_SECONDS / 2)
        raise Unavailable("Not all files are in step: some change all the time. Try again later.")

    async def run(self, tell_scope: Callable[[Scope], None] | None = None) -> None:
        """Keep folder and server in step until cancelled; tell what the token allows."""
        await self._connect()
        if tell_scope is not None and self._online:
            tell_scope(self.may)
        async with anyio.create_task_group() as tasks:
            for work in (self._follow_server, self._watch_folder, self._look_again):
                tasks.start_soon(work)
            await self._work()

    async def _connect(self) -> None:
        """Ask the server for the first time; a copy that was filled before can wait for it."""
        try:
            await self.ask()
        except NotLetIn:
            raise
        except Unavailable as error:
            if not self._sync.file_states.agreed:
                raise
            self._note_offline(error)
        else:
            self._news.set()

    async def _work(self) -> None:
        ready, pause = False, _RETRY_SECONDS
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            try:
                later = await self._rounds.bring_together()
            except Offline as error:
                self._note_offline(error)
                continue
            if not ready and not later:
                ready = True
                self._tell(News("ready"))
            if later:
                await anyio.sleep(pause)
                self._news.set()
            pause = min(2 * pause, _RETRY_SECONDS_MAX) if later else _RETRY_SECONDS

    async def _follow_server(self) -> None:
        pause = _RETRY_SECONDS
        while True:
            try:
                await self.ask(WAIT_SECONDS if self._online else 0)
            except Unavailable as error:
                self._note_offline(error)
                await anyio.sleep(pause)
                pause = min(2 * pause, _RETRY_SECONDS_MAX)
                continue
            pause = _RETRY_SECONDS
            if not self._online:
                self._online = True
                self._tell(News("online"))
            self._news.set()

    def _note_offline(self, error: CommonplaceError) -> None:
        if self._online:
            self._online = False
            self._tell(News("offline", text=str(error)))

    async def _watch_folder(self) -> None:
        async def look_at(_: set[str]) -> None:
            self._note_change()

        try:
            await watch.follow(self._files.settings, self._files.roots, look_at)
        except Unavailable:
            return  # looks go on alone

    async def _look_again(self) -> None:
        while True:
            await anyio.sleep(_RESCAN_SECONDS)
            self._note_change()

    def _note_change(self) -> None:
        if self._online:
            self._news.set()


@contextmanager
def _state(folder: Path, base: Path) -> Generator[CopyState]:
    """Open the state of a folder's copy, for this process alone."""
    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:24]
    kept = base / "copies" / name
    new = not kept.exists()
    if new and folder.exists() and _has_files(folder):
        raise BadArgument("The folder is not empty, and is no copy of a server's vault.")
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(kept / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict("Another process keeps this folder in step already.") from None
        state = CopyState(kept / "copy.db")
        try:
            yield state
        finally:
            state.close()
    finally:
        os.close(lock)


def _has_files(folder: Path) -> bool:
    return any(not entry.name.startswith(".") for entry in folder.iterdir())
