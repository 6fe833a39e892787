"""The history of a vault of another process, what is undone there, and its trash."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from urllib.parse import urlencode

import anyio.to_thread

from commonplace.cli.remote.owner import Owner
from commonplace.vault.history.timeline import TimelineQuery
from commonplace.vault.notes.trash import Trashed
from commonplace.vault.permissions.requests import Json


@dataclass(frozen=True, slots=True)
class RemoteTimeline:
    """Revisions: listed, compared, restored, forgotten."""

    owner: Owner

    async def page(self, asked: TimelineQuery) -> Json:
        """Ask what changed."""
        wanted = {**asdict(asked), "since": _moment(asked.since)}
        return await self._get(f"/api/history?{urlencode(wanted)}")

    async def blame(self, path: str, offset: int = 1, limit: int = 0) -> Json:
        """Ask who wrote each line."""
        return await self._get(f"/api/history/blame?{urlencode({'path': path})}")

    async def diff(self, revision: int, other: int = 0) -> Json:
        """Ask what a revision changed."""
        return await self._get(f"/api/history/revision?id={revision}&other={other}")

    async def restore(self, revision: int, who: str) -> Json:
        """Have a note made as it was."""
        body = {"revision": revision, "who": who}
        return await anyio.to_thread.run_sync(self.owner.post, "/api/history/restore", body)

    async def forget(self, passage: str, path: str = "") -> Json:
        """Have a passage made unreadable."""
        body = {"passage": passage, "path": path}
        return await anyio.to_thread.run_sync(self.owner.post, "/api/history/forget", body)

    async def _get(self, path: str) -> Json:
        return await anyio.to_thread.run_sync(self.owner.get, path)


@dataclass(frozen=True, slots=True)
class RemoteUndo:
    """What somebody did, taken back."""

    owner: Owner

    async def preview(
        self,
        by: str = "",
        since: float = 0.0,
        path: str = "",
        set: str = "",  # noqa: A002
    ) -> Json:
        """Ask what an undo would do."""
        wanted = {"by": by, "since": _moment(since), "path": path, "set": set}
        return await anyio.to_thread.run_sync(self.owner.get, f"/api/undo?{urlencode(wanted)}")

    async def undo(
        self,
        who: str,
        by: str = "",
        since: float = 0.0,
        path: str = "",
        set: str = "",  # noqa: A002
    ) -> Json:
        """Have changes taken back."""
        body = {"who": who, "by": by, "since": _moment(since), "path": path, "set": set}
        return await anyio.to_thread.run_sync(self.owner.post, "/api/undo", body)


@dataclass(frozen=True, slots=True)
class RemoteTrash:
    """Deleted notes."""

    owner: Owner

    async def listed(self) -> list[Trashed]:
        """Ask what is in the trash."""
        found = await anyio.to_thread.run_sync(self.owner.get, "/api/trash")
        return [Trashed(**row) for row in found["trash"]]

    async def restore(self, trash: str) -> str:
        """Have a note taken out of the trash."""
        post = partial(self.owner.post, "/api/notes/restore", {"trash": trash})
        return str((await anyio.to_thread.run_sync(post))["path"])


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else ""
