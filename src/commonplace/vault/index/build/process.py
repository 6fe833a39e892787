"""Brings the whole index up to date, in a process of its own with several workers.

The owner answers meanwhile. Run as `python -m commonplace.vault.index.build.process` with a job as
JSON on standard input; progress comes as JSON lines on standard output: `listed` once the list of
notes is complete, with what there is to do; `read` as notes are digested; `done` at the end.
"""

import gc
import json
import os
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from commonplace.vault.files.reader import Listed
from commonplace.vault.files.roots import Roots
from commonplace.vault.index.build import scan
from commonplace.vault.index.build.builder import BuildJob
from commonplace.vault.index.build.scan import IndexDifference, Seen, plan, read
from commonplace.vault.index.build.workers import shared_out
from commonplace.vault.index.reader import Index, IndexedFile
from commonplace.vault.index.rows import Rows
from commonplace.vault.index.writer import IndexWriter

_PORTION = 64
_BATCH = 64  # portions that are written as one transaction
_ALONE_MAX = 256
_CHANGES_TOLD_MAX = 500


def run(job: BuildJob) -> Generator[dict[str, object]]:
    """Bring the index up to date, telling how it goes."""
    settings = job.settings
    roots = Roots(settings)
    index = Index(settings.state)
    known = index.known()
    work = plan(roots.scan(), known)
    if roots.missing():
        work.gone = []  # a folder that is not mounted has not been emptied
    writer = IndexWriter(settings.state, several_roots=settings.several_roots)
    try:
        with writer.batch():
            writer.list_files(work.new)
            writer.remove(work.gone)
        todo = work.new + work.changed
        changed, gone = len(work.changed), len(work.gone)
        yield {"listed": work.found, "todo": len(todo), "changed": changed, "gone": gone}
        if todo or work.gone:
            writer.begin_build()
            yield from _read_all(job, roots, work, known, writer)
            with writer.batch():
                writer.settle_links()
        if writer.worth_compacting:
            writer.compact()
        yield _done(work)
    finally:
        writer.close()
        index.close()
        roots.close()


def _read_all(
    job: BuildJob,
    roots: Roots,
    work: IndexDifference,
    known: dict[str, IndexedFile],
    writer: IndexWriter,
) -> Iterator[dict[str, object]]:
    todo = work.new + work.changed
    reader = _PortionReader(roots, todo, writer.numbers([listed.path for listed in todo]), known)
    gone = {path: known[path] for path in work.gone}
    rows = _read_in_order(job, reader)
    for first in range(0, reader.portions, _BATCH):
        last = min(first + _BATCH, reader.portions)
        with writer.batch():
            for number, read in zip(range(first, last), rows, strict=False):
                reread = reader.seen(number, read)
                work.moved |= scan.moves(gone, reread.values()) if gone else {}
                writer.restamp(f for f in reader.portion(number) if f.path not in reread)
                writer.write(read)
        yield {"read": min(last * _PORTION, len(todo)), "todo": len(todo)}


@dataclass(frozen=True, slots=True)
class _PortionReader:
    """Reads the notes that have to be, a portion at a time, in this process or a copy of it."""

    roots: Roots
    todo: list[Listed]
    notes: dict[str, int]
    known: dict[str, IndexedFile]

    @property
    def portions(self) -> int:
        return -(-len(self.todo) // _PORTION)

    def portion(self, number: int) -> list[Listed]:
        return self.todo[number * _PORTION : (number + 1) * _PORTION]

    def read(self, number: int) -> Rows:
        rows = Rows()
        for listed in self.portion(number):
            before = self.known.get(listed.path)
            if fresh := read(self.roots, listed, before and before.sha):
                rows.add(self.notes[listed.path], fresh)
        return rows

    def packed(self, number: int) -> bytes:
        return self.read(number).packed()

    def seen(self, number: int, rows: Rows) -> dict[str, Seen]:
        """Tell what was read, and not found to be the same, of a portion."""
        known = dict(rows.known())
        notes = ((listed.path, self.notes[listed.path]) for listed in self.portion(number))
        return {path: (path, *known[note]) for path, note in notes if note in known}


def _read_in_order(job: BuildJob, reader: _PortionReader) -> Iterator[Rows]:
    if len(reader.todo) <= _ALONE_MAX or job.workers < 2:
        return map(reader.read, range(reader.portions))
    return map(Rows.unpacked, shared_out(reader.packed, reader.portions, job.workers))


def _done(work: IndexDifference) -> dict[str, object]:
    """Tell what changed, or how much when it is too much to tell."""
    told = len(work.new) + len(work.changed) + len(work.gone) <= _CHANGES_TOLD_MAX
    return {
        "done": True,
        "appeared": [listed.path for listed in work.new] if told else None,
        "changed": [listed.path for listed in work.changed] if told else None,
        "gone": work.gone if told else None,
        "moved": work.moved,
    }


def main() -> None:
    """Do the job that standard input describes, for the process that started this one."""
    given = sys.stdin.read()
    if not given:
        return  # it was started ahead, and there was nothing to build
    job = BuildJob(**json.loads(given))
    os.nice(job.nice)
    gc.disable()  # nothing here goes round in circles, and looking for it takes time
    for news in run(job):
        if os.getppid() != job.owner:
            sys.exit("The owner is gone; another may be building already.")
        sys.stdout.write(json.dumps(news) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
