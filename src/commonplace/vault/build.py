"""Brings the whole index up to date, in a process of its own with several workers.

The owner answers meanwhile. Run as `python -m commonplace.vault.build` with a job as JSON on
standard input; progress comes as JSON lines on standard output: `listed` once the list of notes
is complete, `read` as notes are digested, `done` at the end.
"""

import json
import multiprocessing
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from commonplace.vault import reading
from commonplace.vault.disk import Listed
from commonplace.vault.index import Index, Known
from commonplace.vault.reading import Plan, plan, read
from commonplace.vault.roots import Roots
from commonplace.vault.settings import Root, Settings
from commonplace.vault.writer import Fresh, IndexWriter

_PORTION = 64
_BATCH = 2048
_ALONE_MAX = 256
_CHANGES_TOLD_MAX = 500


@dataclass(frozen=True, slots=True)
class Job:
    """What to build: the vault's settings in a form that crosses a process boundary."""

    roots: list[tuple[str, str]]
    state: str
    ignore: list[str]
    shards: int
    workers: int
    owner: int
    nice: int

    @classmethod
    def of(cls, settings: Settings, shards: int, workers: int, nice: int = 0) -> "Job":
        """Describe the job for a vault; `nice` leaves the processor to others first."""
        roots = [(root.name, str(root.path)) for root in settings.roots]
        state, ignore = str(settings.state), list(settings.ignore)
        return cls(roots, state, ignore, shards, workers, os.getpid(), nice)

    @property
    def settings(self) -> Settings:
        """Return what the vault is opened with."""
        roots = tuple(Root(name, Path(path)) for name, path in self.roots)
        return Settings(roots, Path(self.state), ignore=tuple(self.ignore))


def run(job: Job) -> Iterator[dict[str, object]]:
    """Bring the index up to date, telling how it goes."""
    settings = job.settings
    roots = Roots(settings)
    index = Index(settings.state, job.shards)
    known = index.known()
    work = plan(roots.scan(), known)
    if roots.missing():
        work.gone = []  # a folder that is not mounted has not been emptied
    writer = IndexWriter(settings.state, job.shards, several_roots=settings.several_roots)
    try:
        with writer.batch():
            writer.list_files(work.new)
            writer.remove(work.gone)
        todo = work.new + work.changed
        yield {"listed": work.found, "todo": len(todo)}
        with writer.first_build():
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
    job: Job, roots: Roots, work: Plan, known: dict[str, Known], writer: IndexWriter
) -> Iterator[dict[str, object]]:
    gone = {path: known[path] for path in work.gone}
    shas = {path: before.sha for path, before in known.items()}
    todo = [(listed, shas.get(listed.path)) for listed in work.new + work.changed]
    done, batch = 0, list[Fresh]()
    for portion, fresh in _read_portions(job, roots, todo):
        same = [f for f in portion if f.path not in {x.listed.path for x in fresh}]
        work.moved |= reading.moves(gone, fresh)
        batch += fresh
        done += len(portion)
        if same or len(batch) >= _BATCH:
            with writer.batch():
                writer.restamp(same)
                writer.put(batch)
            batch = []
            yield {"read": done, "todo": len(todo)}
    with writer.batch():
        writer.put(batch)
    yield {"read": done, "todo": len(todo)}


Todo = list[tuple[Listed, bytes | None]]


def _read_portions(
    job: Job, roots: Roots, todo: Todo
) -> Iterator[tuple[list[Listed], list[Fresh]]]:
    portions = [todo[n : n + _PORTION] for n in range(0, len(todo), _PORTION)]
    if len(todo) <= _ALONE_MAX or job.workers < 2:
        for portion in portions:
            yield _read_portion(roots, portion)
        return
    # Forked while this process has one thread: workers start in a millisecond, modules loaded.
    fork = multiprocessing.get_context("fork")
    with fork.Pool(job.workers, _start_worker, (job.settings,)) as pool:
        yield from pool.imap_unordered(_work, portions)


_worker_roots: Roots | None = None


def _start_worker(settings: Settings) -> None:
    global _worker_roots
    _worker_roots = Roots(settings)


def _work(portion: Todo) -> tuple[list[Listed], list[Fresh]]:
    assert _worker_roots is not None
    return _read_portion(_worker_roots, portion)


def _read_portion(roots: Roots, portion: Todo) -> tuple[list[Listed], list[Fresh]]:
    fresh = [read(roots, listed, sha) for listed, sha in portion]
    return [listed for listed, _ in portion], [f for f in fresh if f is not None]


def _done(work: Plan) -> dict[str, object]:
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
    job = Job(**json.load(sys.stdin))
    os.nice(job.nice)
    for news in run(job):
        if os.getppid() != job.owner:
            sys.exit("The owner is gone; another may be building already.")
        sys.stdout.write(json.dumps(news) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
