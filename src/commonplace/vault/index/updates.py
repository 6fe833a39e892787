"""The index brought up to date by a thread of this process: for few changes, or small vaults.

Nothing here knows the event loop. What changed is returned, for the mirror in memory to take.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType

from commonplace.core.paths import has_note_suffix
from commonplace.errors import Unavailable
from commonplace.vault.files.reader import Listed
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.build import scan
from commonplace.vault.index.graph import gathered
from commonplace.vault.index.mirror import Contents
from commonplace.vault.index.reader import Index, IndexedFile
from commonplace.vault.index.rows import Fresh
from commonplace.vault.index.writer import IndexedNote, IndexWriter
from commonplace.vault.settings import Settings

# Up to these, a thread of this process is quicker than starting another process.
SCANNED_HERE_MAX = 3000
_READ_HERE_MAX = 300
NO_MOVES: Mapping[str, str] = MappingProxyType({})


@dataclass(slots=True)
class IndexUpdate:
    """What was written: notes placed, moved and gone, links resolved anew."""

    placed: list[IndexedNote] = field(default_factory=list[IndexedNote])
    moved: dict[str, str] = field(default_factory=dict[str, str])
    gone: dict[str, int] = field(default_factory=dict[str, int])
    relinked: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    compacted: bool = False


class Updates:
    """Writes what differs between files and index."""

    def __init__(self, settings: Settings, roots: Roots, contents: Contents, reader: Index) -> None:
        self._settings = settings
        self._roots = roots
        self._contents = contents
        self._reader = reader
        self._writer: IndexWriter | None = None

    @property
    def too_many(self) -> bool:
        """Whether the notes that the index holds are more than are compared here."""
        return self._reader.has_more_than(SCANNED_HERE_MAX) and not self._roots.missing()

    def compare(self) -> list[str] | None:
        """Name what differs; None when the vault, or the difference, is one for the builder."""
        if self._roots.missing():
            return []  # a folder that is not mounted has not been emptied
        if len(self._contents.catalog) > SCANNED_HERE_MAX:
            return None
        found = list(islice(self._roots.scan(), SCANNED_HERE_MAX + 1))
        if len(found) > SCANNED_HERE_MAX:
            return None
        plan = scan.plan(found, self._reader.known())
        work = [listed.path for listed in plan.new + plan.changed] + plan.gone
        return work if len(work) <= _READ_HERE_MAX else None

    def write(self, paths: Collection[str], moved: Mapping[str, str] = NO_MOVES) -> IndexUpdate:
        """Look at these paths again, notes or folders, and write what differs.

        Other moves are found by what the files are; those that `moved` names need no guess: one
        that was saved since the index saw it is another file with other bytes.
        """
        update = IndexUpdate()
        if self._roots.missing():
            return update
        fresh: list[Fresh] = []
        same: list[Listed] = []
        gone: dict[str, IndexedFile] = {}
        for path, listed in self._look(paths):
            known = self._reader.known_one(path)
            if listed is None:
                gone |= {path: known} if known else {}
            elif (read := scan.read(self._roots, listed, known and known.sha)) is None:
                same.append(listed)
            else:
                fresh.append(read)
        writer = self._open_writer()
        with writer.batch():
            writer.restamp(same)
            update.placed = writer.put(fresh)
            update.gone = writer.remove(list(gone))
            update.moved = scan.moves(gone, map(scan.seen, fresh))
            came = {read.listed.path for read in fresh}
            update.moved |= {n: o for n, o in moved.items() if n in came and o in gone}
            relinked = writer.settle_links()
        update.relinked = gathered(relinked, self._reader.links.edges_of(relinked))
        if writer.worth_compacting:
            places = writer.compact()
            update.compacted = True
            update.placed = [replace(one, where=places.get(one.note)) for one in update.placed]
            self.close_writer()
        return update

    def drop_dead_texts(self) -> None:
        """Leave nothing readable of texts that notes no longer have.

        Done twice: the generation of the corpus before stays until the next one.
        """
        writer = self._open_writer()
        writer.compact()
        writer.compact()
        writer.scrub()
        self.close_writer()

    def _look(self, paths: Iterable[str]) -> Iterable[tuple[str, Listed | None]]:
        """Look at each note, and at everything beneath each folder, known or on disk."""
        found: dict[str, Listed | None] = {}
        for path in paths:
            if has_note_suffix(path) and (listed := self._roots.listed(path)):
                found[path] = listed
                continue
            beneath = path + "/" if path else ""
            found |= dict.fromkeys(self._contents.catalog.beneath(beneath))
            if path in self._contents.catalog:
                found[path] = None
            found |= {listed.path: listed for listed in self._roots.scan(path)}
        return found.items()

    def _open_writer(self) -> IndexWriter:
        if self._writer is None:
            if self._reader.lost:  # a writer makes those files anew, empty: nobody would miss them
                raise Unavailable("The index was deleted. It is built anew; try again soon.")
            self._writer = IndexWriter(
                self._settings.state, several_roots=self._settings.several_roots
            )
        return self._writer

    def close_writer(self) -> None:
        """Let go of the file, for the build process to write it."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def clear(self) -> None:
        """Empty the index."""
        self._open_writer().clear()
        self.close_writer()
