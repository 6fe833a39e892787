"""The texts of nodes that live in the database: each write is one transaction.

A node's links are worked out from its text and from the names that all nodes carry. A write that
adds or takes away a name lets every link by that name be looked at again, as in a vault's index.
"""

import time
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence

from commonplace.core import digest, links, paths
from commonplace.core.digest import Digest
from commonplace.core.links import Candidate, NameKind
from commonplace.errors import Conflict, NotFound
from commonplace.vault.nodes import link_names
from commonplace.vault.nodes.link_names import LinkPicture, LinkTargets, Mention, Name
from commonplace.vault.nodes.neo4j import rows
from commonplace.vault.nodes.neo4j.cleanup import drop_unused
from commonplace.vault.nodes.neo4j.connection import LOAD_SECONDS_MAX, Database, Transaction
from commonplace.vault.nodes.neo4j.cypher import reads, writes
from commonplace.vault.nodes.requests import exists
from commonplace.vault.notes.write import wanted
from commonplace.vault.permissions.requests import Json

LOADED_AT_ONCE = 500
_NEAR_MAX = 2_000


class NodeTexts:
    """Nodes as texts by id: the `Base` of wishes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # -- reading

    async def found(self, id: str) -> str | None:
        """Return a text; None if there is none of that id."""
        found = await self._database.run(reads.TEXT, id=id)
        return str(found[0]["text"]) if found else None

    async def taken(self, key: str) -> str | None:
        """Return the id that some file systems would take for another."""
        found = await self._database.run(reads.TAKEN, key=key)
        return str(found[0]["id"]) if found else None

    async def near(self, id: str) -> Sequence[str]:
        """Return ids in the same folder, some of them."""
        folder = paths.parent(id)
        start = f"{folder}/" if folder else ""
        found = await self._database.run(reads.IDS_BENEATH, start=start, limit=_NEAR_MAX)
        return [str(row["id"]) for row in found]

    async def linking(self, id: str) -> Sequence[str]:
        """Return the ids of the nodes that link to one."""
        return [str(row["id"]) for row in await self._database.run(reads.LINKING, id=id)]

    # -- writing

    async def create(self, id: str, text: str) -> None:
        """Add a node; Conflict if its id is taken."""

        async def work(tx: Transaction) -> None:
            if taken := await tx.run(reads.TAKEN, key=paths.collision_key(id)):
                raise Conflict(exists(str(taken[0]["id"])))
            await _put(tx, {id: text})

        await self._database.write(work)

    async def change(self, id: str, change: Json) -> tuple[str, str]:
        """Put what is wanted of a text in its place."""

        async def work(tx: Transaction) -> tuple[str, str]:
            before = await _text(tx, id)
            after = wanted(before, change)
            if after != before:
                await _put(tx, {id: after})
            return before, after

        return await self._database.write(work)

    async def delete(self, id: str) -> None:
        """Take a node out of the graph; its text stays as `Trashed`."""

        async def work(tx: Transaction) -> None:
            await _text(tx, id)
            before = await _names(tx, [id])
            places = await tx.run(reads.TAGS_AND_FOLDERS_OF, ids=[id])
            await tx.run(writes.TRASH_NOTE, id=id)
            keys = {name.key for name in before[id]}
            await _relink(tx, await _mentioning(tx, keys))
            await drop_unused(tx, places, keys)

        await self._database.write(work)

    async def rename(self, id: str, to: str, title: str) -> list[str]:
        """Give a node another id and title, and spell the links to it anew."""

        async def work(tx: Transaction) -> list[str]:
            text = await _text(tx, id)
            intent, left = link_names.plan_rename(
                await _picture(tx, id, to, title), id, to, text, title
            )
            before = {name.key for name in (await _names(tx, [id]))[id]}
            others = [path for path in intent.links if path != to]
            found = await tx.run(reads.TEXTS, ids=others)
            texts = {str(row["id"]): str(row["text"]) for row in found}
            await tx.run(writes.MOVE, id=id, to=to)
            changed = link_names.renamed_texts(intent, {**texts, to: text})
            await _put(tx, changed, before)
            return left

        return await self._database.write(work)

    async def load(self, texts: Iterable[tuple[str, str]]) -> None:
        """Add very many nodes, some in each transaction; links come last."""
        some: dict[str, str] = {}
        ids: list[str] = []
        for id, text in texts:
            some[id] = text
            ids.append(id)
            if len(some) == LOADED_AT_ONCE:
                await self._load(some)
                some = {}
        await self._load(some)
        for start in range(0, len(ids), LOADED_AT_ONCE):
            part = ids[start : start + LOADED_AT_ONCE]
            await self._database.write(lambda tx, part=part: _relink(tx, part), LOAD_SECONDS_MAX)

    async def _load(self, some: Mapping[str, str]) -> None:
        found = _digests(some)
        await self._database.write(lambda tx: _write(tx, found), LOAD_SECONDS_MAX)


# -- parts of a transaction


async def _put(tx: Transaction, texts: Mapping[str, str], gone: Collection[str] = ()) -> None:
    """Write texts, and look at every link again that may mean something else now."""
    found = _digests(texts)
    before = await _names(tx, texts)
    places = await tx.run(reads.TAGS_AND_FOLDERS_OF, ids=list(texts))
    old = {(id, name) for id, names in before.items() for name in names}
    new = {(id, name) for id, each in found.items() for name in link_names.names(each)}
    await _write(tx, found)
    keys = {name.key for _, name in old ^ new} | set(gone)
    await _relink(tx, {*texts, *await _mentioning(tx, keys)})
    await drop_unused(tx, places, keys)


async def _write(tx: Transaction, found: Mapping[str, Digest]) -> None:
    now, revision = int(time.time() * 1000), uuid.uuid4().hex
    made = [rows.owned(id, each, revision, now) for id, each in found.items()]
    await tx.run(writes.PUT_NOTES, rows=made)
    await tx.run(writes.MARK_UNEMBEDDED, ids=list(found))
    if tags := rows.tag_pairs(tag for each in found.values() for tag in each.tags):
        await tx.run(writes.NEST_TAGS, pairs=tags)
    if folders := rows.folder_pairs({paths.parent(id) for id in found}):
        await tx.run(writes.NEST_FOLDERS, pairs=folders)


async def _relink(tx: Transaction, ids: Collection[str]) -> None:
    """Work out where nodes link, and write what is different."""
    if not ids:
        return
    some = sorted(ids)
    written = await _mentions(tx, some)
    named = await _carriers(tx, {each.key for found in written.values() for each in found})
    links_now = {
        str(row["id"]): LinkTargets({to: list(kinds) for to, kinds in row["links"]}, row["broken"])
        for row in await tx.run(reads.LINKS_OF, ids=some)
    }
    wanted_links = {id: link_names.outgoing(id, written.get(id, ()), named) for id in links_now}
    changed = [
        rows.linked(id, each) for id, each in wanted_links.items() if _differs(each, links_now[id])
    ]
    if changed:
        await tx.run(writes.PUT_LINKS, rows=changed)


def _differs(one: LinkTargets, other: LinkTargets) -> bool:
    return list(one.targets.items()) != list(other.targets.items()) or one.broken != other.broken


async def _picture(tx: Transaction, id: str, to: str, title: str) -> LinkPicture:
    """Read all the links that a rename can touch, and who carries the names in them."""
    linking_here = [str(row["id"]) for row in await tx.run(reads.LINKING, id=id)]
    by_name = await _mentioning(tx, {link_names.stem_key(to)})
    written = await _mentions(tx, sorted({id, *linking_here, *by_name}))
    written.setdefault(id, [])
    keys = {each.key for found in written.values() for each in found}
    keys |= {link_names.stem_key(id), link_names.stem_key(to), links.name_key(title)}
    named = await _carriers(tx, keys)
    # A longer spelling ends in the file's name of what is meant.
    stems = {link_names.stem_key(each.path) for found in named.values() for each in found}
    named |= await _carriers(tx, stems - named.keys())
    return LinkPicture(written, named)


async def _text(tx: Transaction, id: str) -> str:
    found = await tx.run(reads.TEXT, id=id)
    if not found:
        raise NotFound(f"Document not found: {id}")
    return str(found[0]["text"])


async def _names(tx: Transaction, ids: Collection[str]) -> dict[str, list[Name]]:
    found: dict[str, list[Name]] = {id: [] for id in ids}
    for row in await tx.run(reads.NAMES_OF, ids=list(ids)):
        found[row["id"]].append(Name(row["key"], NameKind(row["kind"]), row["name"]))
    return found


async def _mentioning(tx: Transaction, keys: Collection[str]) -> list[str]:
    found = await tx.run(reads.MENTIONING, keys=list(keys)) if keys else []
    return [str(row["id"]) for row in found]


async def _mentions(tx: Transaction, ids: Collection[str]) -> dict[str, list[Mention]]:
    found = await tx.run(reads.MENTIONS_OF, ids=list(ids))
    return {str(row["id"]): [Mention(*each) for each in row["mentions"]] for row in found}


async def _carriers(tx: Transaction, keys: Collection[str]) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = {key: [] for key in keys}
    for row in await tx.run(reads.CARRIERS, keys=list(keys)):
        found[row["key"]].append(Candidate(row["id"], NameKind(row["kind"]), row["name"]))
    return found


def _digests(texts: Mapping[str, str]) -> dict[str, Digest]:
    return {id: digest.digest(id, text) for id, text in texts.items()}
