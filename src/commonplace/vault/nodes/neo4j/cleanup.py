"""Tags, folders and names that nothing refers to any more, taken out of the database."""

from collections.abc import Collection, Iterable

from commonplace.vault.nodes.neo4j import rows
from commonplace.vault.nodes.neo4j.connection import Row, Transaction
from commonplace.vault.nodes.neo4j.cypher import writes


async def drop_unused(tx: Transaction, places: Iterable[Row], names: Collection[str] = ()) -> None:
    """Drop what is unused of the tags and folders (rows of `TAGS_AND_FOLDERS_OF`) and names."""
    found = list(places)
    for keys in _by_depth({tag for place in found for tag in place["tags"]}):
        await tx.run(writes.DROP_TAGS, keys=keys)
    for folders in _by_depth({folder for place in found for folder in place["folders"]}):
        await tx.run(writes.DROP_FOLDERS, paths=folders)
    if names:
        await tx.run(writes.DROP_NAMES, keys=list(names))


def _by_depth(given: Iterable[str]) -> list[list[str]]:
    """Return paths and all that they lie in, in layers, the deepest first."""
    layers: dict[int, set[str]] = {}
    for path in given:
        for each in rows.ancestors(path):
            layers.setdefault(each.count("/"), set()).add(each)
    return [sorted(layers[depth]) for depth in sorted(layers, reverse=True)]
