"""Measures the plans that questions to the index choose between: `python -m bench.plans [NOTES]`.

Each row is one question over an index of so many notes (100,000 if nothing is said), answered by
the plan that the code chooses and by the other one, which is forced by setting the constant that
decides. A plan that gains nothing here is not worth its lines.
"""

import random
import sqlite3
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter
from types import ModuleType
from typing import Any

from commonplace.core.graph import Graph
from commonplace.vault.folders import links as folder_links
from commonplace.vault.folders.links import LinkedIds
from commonplace.vault.index import catalog, links
from commonplace.vault.index.catalog import Catalog, CatalogEntry
from commonplace.vault.index.links import LinkResolver
from commonplace.vault.index.queries.properties import PropertyIndex
from commonplace.vault.index.schema import LOOKUPS, TABLES
from commonplace.vault.search import listing

ROUNDS = 5
LISTING: Any = listing
LINKS: Any = links
NEVER = 10**12


class PropertiesAlone:
    """As much of an index as questions about properties ask."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.properties = PropertyIndex(db)


@contextmanager
def forced(module: ModuleType, name: str, value: object) -> Generator[None]:
    """Let a constant, or a function, be another for a while."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


def milliseconds(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    times: list[float] = []
    for _ in range(ROUNDS):
        before()
        start = perf_counter()
        work()
        times.append((perf_counter() - start) * 1000)
    return median(times)


def row(what: str, chosen: float, other: float) -> None:
    print(f"{what:66} {chosen:9.2f} ms {other:9.2f} ms {other / chosen:8.1f} x", flush=True)


def compare(
    what: str,
    work: Callable[[], object],
    other: tuple[ModuleType, str, object],
    before: Callable[[], object] = lambda: None,
) -> None:
    """Measure a question as it is answered, and by the other plan."""
    chosen = milliseconds(work, before)
    with forced(*other):
        row(what, chosen, milliseconds(work, before))


def catalogs(entries: list[CatalogEntry], rng: random.Random) -> None:
    kept = Catalog()
    kept.load(entries)
    kept.newest()
    notes = [entry.note for entry in entries]
    few, many = set(rng.sample(notes, 50)), set(rng.sample(notes, len(notes) // 2))
    kept.first_of(many, 20)
    never, always = (catalog, "_FEW_OF", NEVER), (catalog, "_FEW_OF", 0)
    again = partial(kept.put, entries[len(entries) // 2])
    compare("newest of all, after one change: put in its place", kept.newest, never, again)
    pick, walk = "picked out, not met on the way", "met on the way, not sorted"
    compare(f"newest 20 of 50 notes: {pick}", partial(kept.newest_of, few, 20), never)
    compare(f"newest 20 of half: {walk}", partial(kept.newest_of, many, 20), always)
    compare(f"first 20 of 50 notes: {pick}", partial(kept.first_of, few, 20), never)
    all_few = (catalog, "_FEW_OF", -1)
    compare(f"first 20 of half: {walk}", partial(kept.first_of, many, 20), all_few)
    everything = kept.newest()
    row(
        "50 of all notes for grep: picked out, not met on the way",
        milliseconds(partial(kept.entries_of, few)),
        milliseconds(lambda: [entry for entry in everything if entry.note in few]),
    )


def properties(db: sqlite3.Connection, notes: list[int]) -> None:
    index: Any = PropertiesAlone(db)
    rare, common, half = ("kind", ["book"]), ("status", ["done"]), ("type", ["note"])
    asked = [common, rare]
    found = partial(LISTING._meeting, index, asked)  # noqa: SLF001

    def counted(_: object, conditions: list[tuple[str, list[str]]]) -> list[Any]:
        return [(NEVER, *each) for each in conditions]

    compare(
        "a rare property and a common one: the rarest first",
        found,
        (listing, "_by_rarity", counted),
    )
    window = set(notes[-1_000:])
    newest = partial(LISTING._newest, index, [common, half], window, 20)  # noqa: SLF001
    compare(
        "newest 20 with two common properties: among the newest 1,000",
        newest,
        (listing, "_RARE_MAX", NEVER),
    )


def resolved(db: sqlite3.Connection, notes: list[int], rng: random.Random) -> None:
    for part in (0.001, 0.02, 0.3):
        touched = rng.sample(notes, int(len(notes) * part))
        one_by_one = part <= LINKS._ONE_BY_ONE_PART  # noqa: SLF001

        def settle(touched: Iterable[int] = touched) -> None:
            resolver = LinkResolver(db, several_roots=False)
            resolver.touch_links(touched)
            resolver.settle()

        way = "each for itself" if one_by_one else "one pass over all"
        other = (links, "_ONE_BY_ONE_PART", 0.0 if one_by_one else 1.0)
        compare(f"links of {len(touched):,} notes resolved: {way}", settle, other)


class PathsAsIds:
    """Every note is its own document."""

    def known_id(self, path: str) -> str | None:
        return path

    def known_path(self, id: str) -> str | None:
        return id


def affected(entries: list[CatalogEntry]) -> None:
    hub, *others = entries
    linking = others[: len(others) // 10]
    kept = Catalog()
    kept.load(entries)
    linked: Any = LinkedIds(PathsAsIds())
    linked.renew(Graph.of((entry.note, hub.note) for entry in linking), kept)
    for entry in linking:
        linked._look(entry.path)  # noqa: SLF001
    before = {hub.path: [entry.path for entry in linking]}
    changed = partial(linked.affected, before, {})
    what = f"a note changed that {len(linking):,} link to: what began or ceased to"
    compare(what, changed, (folder_links, "_ALL_MAX", NEVER))


def made(count: int, rng: random.Random) -> tuple[sqlite3.Connection, list[CatalogEntry]]:
    """Make the tables of an index, and the list of its notes."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(TABLES)
    entries = [
        CatalogEntry(note, f"Folder {note % 1000:03}/Note {note:06}.md", rng.randrange(10**18))
        for note in range(1, count + 1)
    ]
    rows = [(e.note, e.path, e.mtime_ns) for e in entries]
    db.executemany(
        "INSERT INTO notes (id, path, mtime_ns, size, inode) VALUES (?, ?, ?, 1, 1)", rows
    )
    names = [(f"note {e.note:06}", e.note, 0, "") for e in entries]
    db.executemany("INSERT INTO names (key, note, kind, name) VALUES (?, ?, ?, ?)", names)
    written = [
        (e.note, at, f"Note {target:06}", f"note {target:06}", "wikilink", at, at, target)
        for e in entries
        for at, target in enumerate(rng.sample(range(1, count + 1), 5))
    ]
    db.executemany(
        "INSERT INTO links (source, ordinal, raw, key, kind, start, stop, target)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        written,
    )
    half = [e.note for e in entries if e.note % 2]
    owned = [(n, "status", "done") for n in half] + [(e.note, "type", "note") for e in entries]
    owned += [(n, "kind", "book") for n in half[:30]]
    db.executemany("INSERT INTO properties VALUES (?, ?, ?)", owned)
    for name, columns in LOOKUPS.items():
        db.execute(f"CREATE INDEX {name} ON {columns}")
    db.execute("ANALYZE")
    return db, entries


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng = random.Random(7)
    db, entries = made(count, rng)
    notes = [entry.note for entry in entries]
    print(f"{f'{count:,} notes':66} {'chosen':>12} {'the other':>12} {'gain':>10}")
    catalogs(entries, rng)
    properties(db, notes)
    affected(entries)
    resolved(db, notes, rng)


if __name__ == "__main__":
    main()
