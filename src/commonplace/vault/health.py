"""How a vault is doing: for people, for probes, and for whoever has to mend it."""

from dataclasses import asdict, dataclass

import anyio.to_thread

from commonplace.errors import CommonplaceError
from commonplace.vault.doctor import Check, examine, examine_log
from commonplace.vault.documents.notes import LiveNotes
from commonplace.vault.embeddings.semantic import SemanticSearch
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.indexer import Indexer
from commonplace.vault.index.reader import Index
from commonplace.vault.index.threads import Aside
from commonplace.vault.log.log import Log
from commonplace.vault.permissions.audit import Audit
from commonplace.vault.settings import Settings
from commonplace.vault.supervisor import Supervisor

WRITES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Health:
    """Reports on the parts of a vault."""

    settings: Settings
    roots: Roots
    log: Log
    index: Index
    aside: Aside
    indexer: Indexer
    notes: LiveNotes
    meaning: SemanticSearch
    audit: Audit
    supervisor: Supervisor

    def status(self) -> dict[str, object]:
        """Say how things are, as plain values."""
        state, counts = self.indexer.state, self.index.counts()
        known = counts["notes"] or state.building or state.current.is_set()
        return {
            "roots": [{"name": r.name, "path": str(r.path)} for r in self.settings.roots],
            "missing": self.roots.missing(),
            "index": counts,
            "unindexed": None if known else sum(1 for _ in self.roots.scan()),
            "building": {"read": state.read, "todo": state.todo} if state.building else None,
            "current": state.current.is_set(),
            "meaning": self.meaning.status(),
            "state": str(self.settings.state),
            "withheld": list(self.settings.withheld),
            "writes": [asdict(write) for write in self.audit.latest(WRITES_SHOWN)],
        }

    async def problems(self) -> list[str]:
        """Say what keeps the vault from working as it should, in words for anybody."""
        found = [f"{name} failed and is tried again" for name in self.supervisor.problems]
        if self.log.problem is not None:
            try:
                await self.log.probe()
            except CommonplaceError:
                found.append("nothing can be saved: the log cannot be written")
        if self.indexer.state.failing:
            found.append("the index cannot be kept current")
        if self.notes.queue.failing:
            found.append(f"files of notes cannot be written: {self.notes.queue.failing}")
        return found

    async def census(self) -> dict[str, int]:
        """Count what the vault holds, and what the index takes on disk."""
        await self.notes.queue.catch_up_index()
        counts = await self.aside.ask(lambda index: index.census())
        files = [*self.settings.state.glob("index.db*"), *self.settings.state.glob("corpus*")]
        size = sum(file.stat().st_size for file in files if file.is_file())
        return {**counts, "index_bytes": size}

    async def diagnose(self) -> list[Check]:
        """Check files, log, index and state against each other."""
        checks = await anyio.to_thread.run_sync(examine, self.settings, self.roots)
        return [*checks, *await examine_log(self.log, self.notes)]
