"""How fast the graph tools answer over 100,000 nodes in Neo4j: python -m bench.graph_neo4j [NODES].

Starts the server that the tests use (`make engines` gets it ready), loads a graph in which few
nodes have very many links, and asks as an assistant does: each tool whole, arguments to JSON. In
turns with each goes a bare query of the driver, one note by its id: the ratio says something also
where the clock does not, and so does the CPU time of both processes.
`--keep FOLDER` keeps the database there, and uses it again.
"""

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

from neo4j import AsyncDriver, AsyncGraphDatabase
from tests.engines.neo4j_server import PASSWORD, Neo4jServer
from tests.vault.nodes.test_memory_store import permitted

from commonplace.tools import graph
from commonplace.tools.table import Actor, Call, Toolbox
from commonplace.vault.nodes.neo4j.connection import connected
from commonplace.vault.nodes.neo4j.notes import NodeTexts
from commonplace.vault.nodes.neo4j.schema import prepare
from commonplace.vault.nodes.neo4j.search import NodeSearch
from commonplace.vault.nodes.neo4j.store import Neo4jStore, ReportedProblems
from commonplace.vault.nodes.requests import NodeWishes
from commonplace.vault.store_settings import StoreChoice

ROUNDS = 300
TAGS = ("daily", "project/x", "project/y", "idea", "person", "rare/one")
WORDS = ("graph", "note", "link", "vault", "meaning", "idea", "river", "stone", "paper", "garden")


def texts(count: int) -> Iterator[tuple[str, str]]:
    """Make nodes: six links each in the mean, a third of them to the few best known."""
    chance = random.Random(18)
    for number in range(count):
        links = [
            int(count * chance.random() ** (4 if chance.random() < 0.33 else 1))
            for _ in range(chance.randrange(13))
        ]
        tags = [tag for tag in TAGS if chance.random() < (0.001 if "rare" in tag else 0.1)]
        front = f"---\ntags: [{', '.join(tags)}]\n---\n" if tags else ""
        prose = " ".join(chance.choices(WORDS, k=120))
        named = " ".join(f"[[n{link:06}]]" for link in links)
        yield path(number), f"{front}# Node {number}\n\n{prose} {named}\n"


def path(number: int) -> str:
    return f"f{number % 300:03}/n{number:06}.md"


async def main(count: int, server: Neo4jServer) -> None:
    choice = StoreChoice(server.url, {}, "neo4j", PASSWORD)
    with tempfile.TemporaryDirectory() as folder:
        async with (
            permitted(Path(folder), "allow") as permissions,
            connected(choice, partial(prepare, use="own", vault="")) as database,
        ):
            notes = NodeTexts(database)
            if await notes.found(path(count - 1)) is None:
                began = time.perf_counter()
                await notes.load(texts(count))
                took = time.perf_counter() - began
                print(f"loaded {count} nodes in {took:.0f} s ({count / took:.0f} a second)")
            wishes = NodeWishes(notes, choice.url)
            store = Neo4jStore(
                database, wishes, NodeSearch(database), permissions, ReportedProblems()
            )
            async with AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
                server.url, auth=("neo4j", PASSWORD)
            ) as driver:
                await measure(store, driver, server, count)


async def measure(store: Neo4jStore, driver: AsyncDriver, server: Neo4jServer, count: int) -> None:
    box = Toolbox(graph.tools(store))
    call = Call(Actor("bench", "bench"))
    chance = random.Random(4)

    def some() -> str:
        return path(chance.randrange(count))

    async def ask(tool: str, **arguments: object) -> None:
        answer = await box.call(tool, arguments, call)
        assert not answer.is_error, answer.text

    async def titles() -> None:
        assert len(await store.titles([path(n) for n in chance.sample(range(count), 1000)])) == 1000

    async def bare() -> None:
        async with driver.session() as session:  # pyright: ignore[reportUnknownMemberType]
            result = await session.run(
                "MATCH (n:Note {id: $id}) RETURN n.title, n.content", id=some()
            )
            assert await result.single()

    questions = {
        "a bare query of the driver": bare,
        "get_node depth 1 (15)": lambda: ask("get_node", id=some(), depth=1),
        "get_node of the largest hub (15)": lambda: ask("get_node", id=path(0), depth=1),
        "get_neighbors (10)": lambda: ask("get_neighbors", id=some()),
        "find_path (30)": lambda: ask("find_path", source=some(), target=some()),
        "search_by_tags, common (20)": lambda: ask("search_by_tags", tags=["project"]),
        "search_by_tags, two at once (20)": lambda: ask(
            "search_by_tags", tags=["daily", "idea"], mode="all"
        ),
        "search_by_tags, rare (20)": lambda: ask("search_by_tags", tags=["rare"]),
        "titles of 1,000 ids": titles,
        "get_hubs": lambda: ask("get_hubs"),
        "random_node": lambda: ask("random_node"),
    }
    for name, question in questions.items():
        rounds = ROUNDS if name not in ("get_hubs", "random_node") else 30
        for _ in range(50 if rounds == ROUNDS else 10):
            await question()
        theirs, ours = server.cpu_seconds(), time.process_time()
        for _ in range(rounds):
            await question()
        theirs = (server.cpu_seconds() - theirs) / rounds * 1000
        ours = (time.process_time() - ours) / rounds * 1000
        taken = [(await took(question), await took(bare)) for _ in range(rounds)]
        mine, peer = (sorted(each) for each in zip(*taken, strict=True))
        middle, p95 = rounds // 2, int(rounds * 0.95)
        print(
            f"{name:<36} p50 {mine[middle]:6.1f} p95 {mine[p95]:6.1f} ms   bare p50"
            f" {peer[middle]:5.1f} p95 {peer[p95]:5.1f}   {mine[middle] / peer[middle]:5.1f} x"
            f"   CPU {theirs:5.1f} server {ours:5.1f} client",
            flush=True,
        )
    await round_trips(store, count)


async def took(question: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await question()
    return (time.perf_counter() - began) * 1000


async def round_trips(store: Neo4jStore, count: int) -> None:
    """Count what the driver sends for the titles of 1,000 ids."""
    sent: list[str] = []

    class Counting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if " C: RUN" in record.getMessage():
                sent.append("RUN")

    driver = logging.getLogger("neo4j.io")
    handler = Counting()
    driver.addHandler(handler)
    driver.setLevel(logging.DEBUG)
    await store.titles([path(n) for n in range(1000)])
    driver.removeHandler(handler)
    driver.setLevel(logging.WARNING)
    print(f"titles of 1,000 ids: {len(sent)} statement sent by the driver")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("nodes", nargs="?", type=int, default=100_000)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        engine = Neo4jServer(given.keep or Path(scratch), short_lived=False)
        engine.start()
        try:
            asyncio.run(main(given.nodes, engine))
        finally:
            engine.stop()
    sys.exit(0)
