# pyright: reportUnknownMemberType=false
"""Twenty answers about a vault, ours beside those that its mirror gives in Cypher.

    COMMONPLACE_STORE_PASSWORD=… python -m tests.engines.mirror_counts FOLDER STATE URL

mirrors a folder, says how long that took, and prints the table.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
from neo4j import AsyncGraphDatabase

from commonplace.vault.nodes import providers
from commonplace.vault.nodes.docstore import DocStore
from commonplace.vault.nodes.neo4j.cypher import store_mark
from commonplace.vault.nodes.neo4j.source import VaultSource, total
from commonplace.vault.open import open_vault
from commonplace.vault.settings import Root, Settings
from commonplace.vault.store_settings import StoreChoice
from commonplace.vault.vault import Vault
from tests.engines.conftest import Ask

Counts = list[tuple[str, Any, Any]]

LENGTH = (
    "MATCH (a:Note {id: $a}), (b:Note {id: $b})"
    " OPTIONAL MATCH p = shortestPath((a)-[:LINKS_TO*]->(b)) RETURN length(p) AS n"
)
DEGREES = (
    "MATCH (n:Note) WITH n, COUNT { %s } AS d WHERE d > 0"
    " RETURN n.id AS id, d ORDER BY d DESC, id LIMIT 10"
)
CARRYING = (
    "MATCH (n:Note)-[:TAGGED]->(:Tag)-[:WITHIN*0..]->(:Tag {key: $key})"
    " RETURN count(DISTINCT n) AS n"
)
BENEATH = (
    "MATCH (n:Note)-[:IN]->(:Folder)-[:IN*0..]->(:Folder {path: $path})"
    " RETURN count(DISTINCT n) AS n"
)


async def counts(vault: Vault, ask: Ask) -> Counts:
    """Return what was asked, our answer, and the mirror's."""
    store = DocStore(vault)
    census = await vault.health.census()

    async def one(statement: str, **parameters: object) -> Any:
        return (await ask(statement, **parameters))[0]["n"]

    entries = sorted(entry.path for entry in await vault.listing.newest())
    graph = await vault.indexer.graph.get()
    found: Counts = [
        ("notes", census["notes"], await one("MATCH (n:Note) RETURN count(n) AS n")),
        (
            "orphans",
            census["orphans"],
            await one("MATCH (n:Note) WHERE NOT (n)-[:LINKS_TO]-() RETURN count(n) AS n"),
        ),
        ("links", len(graph), await one("MATCH ()-[l:LINKS_TO]->() RETURN count(l) AS n")),
        (
            "tags",
            len(await vault.listing.tags()),
            await one("MATCH (t:Tag) WHERE (t)<-[:TAGGED]-() RETURN count(t) AS n"),
        ),
    ]
    for metric, pattern in (
        ("in_degree", "(n)<-[:LINKS_TO]-()"),
        ("out_degree", "(n)-[:LINKS_TO]->()"),
    ):
        rows = await ask(DEGREES % pattern)
        ours = await store.hubs(metric, 10)  # pyright: ignore[reportArgumentType]
        found.append((f"get_hubs {metric}", ours, [(row["id"], row["d"]) for row in rows]))
    for tag, _ in (await vault.listing.tags())[:5]:
        ours = (await store.tagged([tag], 1, every=False)).total
        found.append((f"notes with #{tag}", ours, await one(CARRYING, key=tag.casefold())))
    for folder in sorted({path.partition("/")[0] for path in entries if "/" in path})[:3]:
        ours = sum(path.startswith(f"{folder}/") for path in entries)
        found.append((f"notes in {folder}", ours, await one(BENEATH, path=folder)))
    chance = random.Random(20)
    while len(found) < 20:
        a, b = chance.choice(entries), chance.choice(entries)
        way = await store.path(a, b)
        if a != b and (way is not None or chance.random() < 0.05):
            ours = None if way is None else len(way) - 1
            found.append((f"steps from {a} to {b}", ours, await one(LENGTH, a=a, b=b)))
    return found


async def up_to_date(vault: Vault, ask: Ask) -> None:
    """Wait until the mirror's mark says that it has everything."""
    source = VaultSource(vault.settings.state, vault.texts.of_note)
    try:
        while True:
            here = total((await anyio.to_thread.run_sync(source.fingerprints)).values())
            rows = await ask(store_mark.READ_MARK)
            if rows and rows[0]["digest"] == here:
                return
            await anyio.sleep(0.2)
    finally:
        source.close()


async def main(folder: Path, state: Path, url: str) -> None:
    password = os.environ["COMMONPLACE_STORE_PASSWORD"]
    choice = StoreChoice(url, {"use": "mirror"}, "neo4j", password)
    settings = Settings((Root("vault", folder),), state, store=choice)
    say: Callable[[str], Any] = sys.stdout.write
    async with AsyncGraphDatabase.driver(
        url, auth=("neo4j", password), notifications_min_severity="OFF"
    ) as driver:

        async def ask(statement: Any, **parameters: object) -> list[dict[str, Any]]:
            records, _, _ = await driver.execute_query(statement, parameters)
            return [record.data() for record in records]

        async with open_vault(settings) as vault, providers.opened(vault) as stores:
            await vault.indexer.settled()
            began = time.monotonic()
            await stores.give(choice, vault.permissions)
            await up_to_date(vault, ask)
            say(f"mirrored in {time.monotonic() - began:.1f} s\n")
            rows = await counts(vault, ask)
            for name, ours, theirs in rows:
                say(f"{'=' if ours == theirs else 'DIFFERS'} {name}: {str(ours)[:60]}\n")
            say(f"{sum(ours == theirs for _, ours, theirs in rows)} of {len(rows)} are equal\n")
            for change in ("write", "delete"):
                file = folder / "a note of the test.md"
                began = time.monotonic()
                file.write_text("[[00 - Start here]]") if change == "write" else file.unlink()
                while bool(
                    await ask("MATCH (n:Note {id: 'a note of the test.md'}) RETURN n.id AS id")
                ) != (change == "write"):
                    await anyio.sleep(0.02)
                say(f"{change}: there after {time.monotonic() - began:.2f} s\n")


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
