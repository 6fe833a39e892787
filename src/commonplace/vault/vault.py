"""A vault, opened: the one door to everything that a tool, a protocol or a command needs.

Opening returns at once. The index is brought up to date in the background, and what is asked
meanwhile is answered from the files where the index does not reach yet.
"""

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread

from commonplace.core import critic
from commonplace.core.critic import Suggested
from commonplace.core.render import Decided, Pending
from commonplace.errors import Forbidden, Unreadable
from commonplace.vault import index
from commonplace.vault.afterwards import Afterwards
from commonplace.vault.approvals import Parked
from commonplace.vault.aside import Aside
from commonplace.vault.background import Background
from commonplace.vault.changing import Changing
from commonplace.vault.contents import Contents, Listener
from commonplace.vault.doctor import Check, examine, examine_log
from commonplace.vault.documents import Edited, Plan
from commonplace.vault.finding import Finding, Hit
from commonplace.vault.folder_wishes import Doors
from commonplace.vault.folders import Folders, Indexed
from commonplace.vault.index import Index
from commonplace.vault.indexer import Indexer, LookAt, Progress, shard_count
from commonplace.vault.ledger import Ledger
from commonplace.vault.linked import Linked
from commonplace.vault.listing import Listing, NoteInfo
from commonplace.vault.log import Log
from commonplace.vault.meaning import Meaning
from commonplace.vault.noticing import Noticing
from commonplace.vault.permissions import Memory, Permissions
from commonplace.vault.renaming import Renamed, Renaming
from commonplace.vault.review import Review, Reviewed, Verdict
from commonplace.vault.roots import Roots
from commonplace.vault.settings import Settings
from commonplace.vault.shelf import Shelf
from commonplace.vault.sqlite_log import SqliteLog
from commonplace.vault.suggesting import Suggester, Suggesting
from commonplace.vault.texts import Texts
from commonplace.vault.tokens import Tokens
from commonplace.vault.trash import Trash, Trashed
from commonplace.vault.waiting import Waiting, Wanted
from commonplace.vault.wishes import Asker, Choice, Json

Result = TypeVar("Result")

RETRY_SECONDS = 5.0
RENAME = "rename_note"
BACKLINKS_MAX = 500
_NEWEST_MIN = 1_000
_NEWEST_EACH = 50
TOUCHED_MAX = 200
WRITES_SHOWN = 5
_CONTEXT_CHARS_MAX = 300

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NoteRead:
    """A note as an assistant reads it."""

    path: str
    text: str
    pending: list[Pending]
    decided: list[Decided]


class Vault:
    """Notes to be read, listed, searched and followed."""

    def __init__(self, settings: Settings, roots: Roots, log: Log) -> None:
        self.settings = settings
        self._roots = roots
        self._log = log
        self._index = Index(settings.state, shard_count())
        self._aside = Aside(settings.state, shard_count())
        self._contents = Contents(self._index.unread_corpus())
        self._indexer = Indexer(settings, roots, self._contents)
        self.shelf = Shelf(roots, log, self._indexer)
        self._contents.follow(self.shelf.heard)
        self.texts = Texts(roots, self._contents, self.shelf)
        self.listing = Listing(
            self._index,
            self._aside,
            self._contents,
            self._indexer,
            self.shelf,
            self.texts,
            several_roots=settings.several_roots,
        )
        self._afterwards = Afterwards(log)
        memory = Memory(log, self._afterwards)
        self.review = Review(self.shelf, Ledger(self._afterwards))
        self.waiting = Waiting(self._index, self.shelf, self.review.ledger)
        self.suggesting = Suggesting(
            self.shelf,
            self.review.ledger,
            self.review.readings,
            memory.audit,
            settings.suggestions,
        )
        self.renaming = Renaming(
            roots, log, self.shelf, self._index, several_roots=settings.several_roots
        )

        self.tokens = Tokens(log)
        self.permissions = Permissions(memory, settings.policies)
        self.changing = Changing(
            self,
            roots,
            self._indexer,
            self._index,
            Trash(roots, log, self.shelf, self._indexer),
            read_only=settings.read_only,
        )
        self.changing.teach(self.permissions)
        self.folders = Folders(
            roots,
            log,
            self.shelf,
            Indexed(self._contents, self._indexer.graph.get, self.settled),
            Doors(self.changing.create, self.rename, self.changing.delete),
            read_only=settings.read_only,
        )
        self.permissions.teach(RENAME, self._rename, suggests=False)
        self.meaning = Meaning(settings, self._contents, self.texts.of_note)
        self._contents.follow(self.meaning.heard)
        self.finding = Finding(
            settings,
            roots,
            self._index,
            self._aside,
            self._contents,
            self.texts,
            self.listing,
            self.meaning,
        )
        self.noticing = Noticing(self._index)
        self._contents.follow(self.noticing.heard)
        self._seeing = Background()

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, *, follow: bool = True) -> AsyncGenerator["Vault"]:
        """Open a vault; with `follow`, keep its index current until the end."""
        settings.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        roots = Roots(settings)
        vault = cls(settings, roots, SqliteLog(settings.state / "live.db"))
        failure: Exception | None = None
        try:
            if not settings.read_only:
                await vault.renaming.recover()
            await vault.permissions.audit.load()
            await vault.tokens.load()
            async with anyio.create_task_group() as tasks:
                if follow:
                    tasks.start_soon(_kept_up, vault._indexer.run, "The index")
                    tasks.start_soon(vault.shelf.run)
                    tasks.start_soon(vault.folders.run)
                    embed = partial(vault.meaning.run, vault._indexer.state.current)
                    tasks.start_soon(_kept_up, embed, "Search by meaning")
                try:
                    yield vault
                except Exception as error:  # noqa: BLE001 (raised below, not inside a group)
                    failure = error
                vault.meaning.stop()
                tasks.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await vault._close()
        if failure is not None:
            raise failure

    async def _close(self) -> None:
        await self._seeing.finish()
        await self.folders.close()
        await self.shelf.close()
        await self._afterwards.close()
        await self._log.close()
        self.meaning.close()
        self._indexer.close()
        self._index.close()
        self._aside.close()
        self._roots.close()

    # -- paths and texts

    def find(self, raw: str) -> str:
        """Return the path of the note that `raw` names: exactly, or with `.md` added."""
        return self.texts.find(raw)

    async def marked(self, path: str) -> str:
        """Read a note's text as it stands, pending suggestions and all."""
        return await self.texts.marked(path)

    async def text(self, path: str) -> str:
        """Read a note's accepted view."""
        return critic.accepted(await self.marked(path))

    async def read(self, path: str, actor: str) -> NoteRead:
        """Read a note for somebody: its text, what waits in it, what was decided since."""
        found = self.find(path)
        marked = await self.marked(found)
        now = time.time()
        text = critic.accepted(marked)
        before = self.review.readings.remember(actor, found, text, now)
        decided = await self.review.decided_for(actor, found, before or 0.0)
        pending = [
            Pending(s.line, s.old, s.new, s.author, None if s.time is None else int(now - s.time))
            for s in await self.review.pending_in(found, marked)
        ]
        return NoteRead(found, text, pending, decided)

    async def suggest(
        self, path: str, old: str, new: str, by: Suggester, *, replace_all: bool = False
    ) -> Suggested:
        """Replace a passage of a note, as a suggestion for people to decide."""
        self._refuse_read_only()
        return await self.suggesting.suggest(path, old, new, by, replace_all=replace_all)

    async def pending(self, path: str | None = None) -> list[index.Pending]:
        """List the suggestions that wait for a decision, in one note or in all."""
        return (await self.pending_page(Wanted(path)))[0]

    async def pending_page(
        self, wanted: Wanted, start: int = 0, limit: int | None = None
    ) -> tuple[list[index.Pending], int]:
        """List some of the suggestions that wait, and tell how many there are of the kind."""
        await self.shelf.caught_up()
        return await self.waiting.page(wanted, start, limit)

    async def decide(
        self, verdict: Verdict, chosen: Mapping[str, Collection[str]], who: str, reason: str = ""
    ) -> Reviewed:
        """Let a person decide suggestions, by note and id: all of them or none."""
        self._refuse_read_only()
        return await self.review.decide(verdict, chosen, who, reason)

    async def accept_as(self, path: str, id: str, text: str, who: str) -> Reviewed:
        """Let a person accept a suggestion with another text than was suggested."""
        self._refuse_read_only()
        return await self.review.accept_as(path, id, text, who)

    async def undo(self, token: str) -> int:
        """Take a decision back."""
        self._refuse_read_only()
        return await self.review.undo(token)

    async def edit(self, path: str, plan: Plan, actor: str) -> Edited:
        """Edit a note through the one door; answers once the edit is saved."""
        self._refuse_read_only()
        found = self.find(path)
        try:
            return await self.shelf.edit(found, plan, actor)
        except Unreadable as error:
            raise Unreadable(f"{found}: {error}.") from error

    async def rename(self, path: str, to: str, actor: str, *, title: str | None = None) -> Renamed:
        """Give a note another path, and all links to it with it; a title too if one is given."""
        self._refuse_read_only()
        found = self.find(path)
        await self.shelf.caught_up()
        if found == to and title is not None:
            return await self.renaming.retitle(found, title, actor)
        text = await self.text(found)
        async with self._indexer.held() as look_at:
            renamed = await self.renaming.rename(found, to, actor, text=text, title=title)
            await self._see(renamed, look_at)
        await self.shelf.caught_up()
        return renamed

    async def undo_rename(self, token: str, actor: str) -> str:
        """Take a rename back; returns the path that the note has again."""
        self._refuse_read_only()
        async with self._indexer.held() as look_at:
            undone = await self.renaming.undo(token, actor)
            await self._see(undone, look_at)
        await self.shelf.caught_up()
        return undone.path

    async def _see(self, renamed: Renamed, look_at: LookAt) -> None:
        """Let the index see a few of the notes whose links followed at once, the rest soon."""
        notes = renamed.touched
        first, *rest = [notes[n : n + TOUCHED_MAX] for n in range(0, len(notes), TOUCHED_MAX)]
        await look_at(first)
        if rest:
            self._seeing.start(self._see_rest(rest))

    async def _see_rest(self, rest: Sequence[Sequence[str]]) -> None:
        for some in rest:
            await self._indexer.update(some)

    async def _rename(self, change: Json, by: Asker, *, suggest: bool) -> Json:
        """Rename a note as an assistant was permitted to."""
        title = change.get("title")
        renamed = await self.rename(
            str(change["path"]),
            str(change["to"]),
            f"assistant:{by.name}",
            title=title if isinstance(title, str) else None,
        )
        return {"path": renamed.path, "links": renamed.links, "left": renamed.left}

    @property
    def linked(self) -> Linked:
        """The parts that a store over this vault is made from."""
        return Linked(
            self._index, self._contents, self._indexer.graph, self.noticing, self.texts.of_note
        )

    def _refuse_read_only(self) -> None:
        if self.settings.read_only:
            raise Forbidden("This vault was opened read-only; nothing is changed.")

    async def search(
        self, query: str, limit: int, filters: Mapping[str, object] | None = None
    ) -> list[Hit]:
        """Rank notes by words and meaning; with filters, those whose properties meet them."""
        return await self.finding.search(query, limit, filters)

    async def page(self, after: str | None, limit: int) -> tuple[Sequence[NoteInfo], str | None]:
        """List notes by name, some at a time."""
        return await self.listing.page(after, limit)

    async def complete(self, prefix: str, limit: int) -> list[str]:
        """List the notes whose path, or whose name, starts with what was typed."""
        return await self.listing.complete(prefix, limit)

    def follow(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` at each change of a note; call what is returned to stop."""
        return self._contents.follow(listener)

    # -- what people answer and take back

    async def parked(self) -> list[Parked]:
        """List the writes that wait for a person's answer."""
        return await self.permissions.waiting()

    async def approve(self, id: int, who: str, scope: Choice = "once") -> Json:
        """Have a parked write done."""
        return await self.permissions.approve(id, who, scope)

    async def deny(self, id: int, who: str) -> None:
        """Refuse a parked write."""
        await self.permissions.deny(id, who)

    async def remembered(self) -> list[tuple[str, str]]:
        """List what is always allowed: (operation, assistant)."""
        return await self.permissions.remembered()

    async def forget_remembered(self) -> None:
        """Ask again about everything that was allowed for a session or always."""
        await self.permissions.forget_remembered()

    async def trashed(self) -> list[Trashed]:
        """List what is in the trash."""
        return await self.changing.trash.listed()

    async def restore(self, trash: str) -> str:
        """Take a note out of the trash; returns its path."""
        return await self.changing.restore(trash)

    # -- care

    async def refresh(self, *, rebuild: bool = False, progress: Progress | None = None) -> None:
        """Bring the index up to date now."""
        await self._indexer.load()
        await self._indexer.refresh(rebuild=rebuild, progress=progress)

    async def update(self, changed: Collection[str]) -> None:
        """Look at these notes again now."""
        await self._indexer.update(changed)

    async def settled(self) -> None:
        """Wait until the index has caught up with the files as they were at the start."""
        await self._indexer.state.current.wait()

    def status(self) -> dict[str, object]:
        """Say how things are, as plain values."""
        state = self._indexer.state
        return {
            "roots": [{"name": r.name, "path": str(r.path)} for r in self.settings.roots],
            "missing": self._roots.missing(),
            "index": self._index.counts(),
            "building": {"read": state.read, "todo": state.todo} if state.building else None,
            "current": state.current.is_set(),
            "meaning": self.meaning.status(),
            "state": str(self.settings.state),
            "writes": [asdict(write) for write in self.permissions.audit.latest(WRITES_SHOWN)],
        }

    async def census(self) -> dict[str, int]:
        """Count what the vault holds, and what the index takes on disk."""
        await self.shelf.caught_up()
        counts = await self._aside.ask(lambda index: index.census())
        files = [*self.settings.state.glob("index.db*"), *self.settings.state.glob("corpus*")]
        size = sum(file.stat().st_size for file in files if file.is_file())
        return {**counts, "index_bytes": size}

    async def diagnose(self) -> list[Check]:
        """Check files, log, index and state against each other."""
        checks = await anyio.to_thread.run_sync(examine, self.settings, self._roots)
        return [*checks, *await examine_log(self._log, self.shelf)]


async def _kept_up(run: Callable[[], Awaitable[None]], what: str) -> None:
    """Keep something going; whatever goes wrong with it, notes can still be read and written."""
    while True:
        try:
            return await run()
        except Exception:
            logger.exception("%s could not be kept current; it is tried again.", what)
        await anyio.sleep(RETRY_SECONDS)
