"""Rows of notes written to a mirror, and the mirror compared with the vault.

Notes are put first and their links afterwards, some in each transaction; a note's fingerprint comes
with its links, so one that a crash left half way is found by the next comparison. The sum of all
fingerprints is kept in the store's mark by the same transaction that changes them.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import anyio
import anyio.to_thread

from commonplace.core import paths
from commonplace.vault.index.state import ReportProgress
from commonplace.vault.nodes.neo4j import rows
from commonplace.vault.nodes.neo4j.cleanup import drop_unused
from commonplace.vault.nodes.neo4j.connection import LOAD_SECONDS_MAX, Database, Transaction
from commonplace.vault.nodes.neo4j.cypher import mirror, reads, store_mark, writes
from commonplace.vault.nodes.neo4j.rows import Row
from commonplace.vault.nodes.neo4j.source import VaultSource, batches, total

NOTES_AT_ONCE = 200
FINGERPRINTS_AT_ONCE = 5_000


class MirrorWriter:
    """Brings a mirror in line with the vault."""

    def __init__(self, database: Database, source: VaultSource) -> None:
        self._database = database
        self._source = source
        self._reading = anyio.CapacityLimiter(1)

    async def put(
        self, ids: Collection[str], moved: Mapping[str, str], progress: ReportProgress | None = None
    ) -> None:
        """Make these notes in the mirror what they are in the vault; what is gone goes."""
        done, todo = 0, 2 * len(ids)
        present: list[str] = []
        for some in batches(ids, NOTES_AT_ONCE):
            notes, _ = await self._rows(some)
            moves = [{"id": id, "was": moved[id]} for id in some if id in moved]
            await self._database.write(
                lambda tx, n=notes, s=some, m=moves: _put(tx, s, n, m), LOAD_SECONDS_MAX
            )
            present += [str(note["id"]) for note in notes]
            done += len(some)
            if progress:
                progress(done, todo)
        for some in batches(present, NOTES_AT_ONCE):
            _, linked = await self._rows(some)
            await self._database.write(
                lambda tx, linked=linked: _link(tx, linked), LOAD_SECONDS_MAX
            )
            done += len(some)
            if progress:
                progress(done, todo)
        if progress:
            progress(todo, todo)

    async def differences(self) -> list[str]:
        """Name the notes that differ by their fingerprints; asks for all only if the sums do."""
        here = await anyio.to_thread.run_sync(self._source.fingerprints, limiter=self._reading)
        (mark,) = await self._database.run(store_mark.READ_MARK)
        if mark["digest"] == total(here.values()):
            return []
        there = await self.fingerprints()
        gone = [id for id in there if id not in here]
        return [*gone, *(id for id, each in here.items() if there.get(id) != each)]

    async def fingerprints(self) -> dict[str, str]:
        """Return what the mirror holds, by id."""
        found: dict[str, str] = {}
        after = ""
        while page := await self._database.run(
            mirror.FINGERPRINTS, after=after, limit=FINGERPRINTS_AT_ONCE
        ):
            found |= {row["id"]: row["fingerprint"] or "" for row in page}
            after = page[-1]["id"]
        return found

    async def faults(self, progress: ReportProgress | None = None) -> list[str]:
        """Compare everything that the mirror shows, word for word; name the notes that differ."""
        here = await anyio.to_thread.run_sync(self._source.fingerprints, limiter=self._reading)
        there = await self.fingerprints()
        wrong = {id: None for id in there if id not in here}
        done = 0
        for some in batches(here, NOTES_AT_ONCE):
            notes, linked = await self._rows(some)
            found = {
                row["id"]: _seen(row) for row in await self._database.run(mirror.DESCRIBE, ids=some)
            }
            for note, links in zip(notes, linked, strict=True):
                if found.get(str(note["id"])) != _expected(note, links):
                    wrong[str(note["id"])] = None
            done += len(some)
            if progress:
                progress(done, len(here))
        return list(wrong)

    async def mend(self, ids: Collection[str], progress: ReportProgress | None = None) -> None:
        """Put notes again, and set the sum right."""
        await self.put(ids, {}, progress)
        there = await self.fingerprints()

        async def work(tx: Transaction) -> None:
            await tx.run(store_mark.KEEP_DIGEST, digest=total(there.values()))

        await self._database.write(work)

    async def _rows(self, some: Sequence[str]) -> tuple[list[Row], list[Row]]:
        return await anyio.to_thread.run_sync(self._source.notes, some, limiter=self._reading)


async def _put(
    tx: Transaction, ids: Sequence[str], notes: Sequence[Row], moves: Sequence[Mapping[str, str]]
) -> None:
    """Write notes without their links; take out those that are gone."""
    if moves:
        await tx.run(mirror.FOLLOW, moves=list(moves))
    before = await _fingerprints(tx, ids)
    places = await tx.run(reads.TAGS_AND_FOLDERS_OF, ids=list(ids))
    present = {str(note["id"]) for note in notes}
    if gone := [id for id in ids if id not in present]:
        wanted = await tx.run(mirror.WANTED_BY, ids=gone)
        await tx.run(mirror.DELETE_NOTES, ids=gone)
        await tx.run(mirror.DROP_MISSING, names=[row["name"] for row in wanted])
    if notes:
        await tx.run(writes.PUT_NOTES, rows=list(notes))
        tags = [tag["name"] for note in notes for tag in cast("list[dict[str, str]]", note["tags"])]
        if pairs := rows.tag_pairs(tags):
            await tx.run(writes.NEST_TAGS, pairs=pairs)
        if pairs := rows.folder_pairs({paths.parent(id) for id in present}):
            await tx.run(writes.NEST_FOLDERS, pairs=pairs)
    await drop_unused(tx, places)
    await _add(tx, before.values())


async def _link(tx: Transaction, linked: Sequence[Row]) -> None:
    """Write the links of notes, and with them their fingerprints."""
    ids = [str(row["id"]) for row in linked]
    before = await _fingerprints(tx, ids)
    wanted = await tx.run(mirror.WANTED_BY, ids=ids)
    after = await tx.run(mirror.PUT_MIRRORED_LINKS, rows=list(linked))
    if wanted:
        await tx.run(mirror.DROP_MISSING, names=[row["name"] for row in wanted])
    await _add(tx, [*before.values(), *(row["fingerprint"] for row in after)])


async def _fingerprints(tx: Transaction, ids: Sequence[str]) -> dict[str, str]:
    found = await tx.run(mirror.FINGERPRINTS_OF, ids=list(ids))
    return {row["id"]: row["fingerprint"] or "" for row in found}


async def _add(tx: Transaction, changed: Collection[str]) -> None:
    (mark,) = await tx.run(store_mark.READ_MARK)
    await tx.run(store_mark.KEEP_DIGEST, digest=total(changed, mark["digest"]))


def _seen(row: Mapping[str, Any]) -> Row:
    """Return a note of the mirror in the shape of `_expected`."""
    told = {key: row["set"].get(key) for key in ("title", "content", "fingerprint")}
    properties = {key: each for key, each in row["set"].items() if key.startswith("p_")}
    shown = {key: row[key] for key in ("tags", "folders", "links", "wants")}
    return {**told, **shown, "properties": properties}


def _expected(note: Row, linked: Row) -> Row:
    """Return what the mirror should show of a note."""
    told = cast("dict[str, Any]", note["set"])
    tags = cast("list[dict[str, Any]]", note["tags"])
    to = cast("list[dict[str, Any]]", linked["links"])
    wants = cast("list[dict[str, Any]]", linked["wants"])
    return {
        "title": told["title"],
        "content": told["content"],
        "fingerprint": linked["fingerprint"],
        "tags": [[tag["key"], tag["name"]] for tag in tags],
        "folders": note["folders"],
        "links": [[each["id"], each["kinds"]] for each in to],
        "wants": [[each["name"], each["kinds"]] for each in wants],
        "properties": {key: each for key, each in told.items() if key.startswith("p_")},
    }
