# pyright: reportUnknownMemberType=false
"""Neo4j is killed in the middle of writes, and so are we: nothing acknowledged is lost or halved.

COMMONPLACE_WRITES=1000 writes more; the default keeps `make engines` short.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from commonplace.core.links import fold
from tests.engines.neo4j_server import CLASSPATH, PASSWORD, Neo4jServer
from tests.vault.nodes.memory_store import MemoryTexts

WRITES = int(os.environ.get("COMMONPLACE_WRITES", "120"))
WRITER = (sys.executable, "-m", "tests.engines.neo4j_writer")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Generator[Neo4jServer]:
    """A server that may be killed."""
    if not CLASSPATH.exists():
        pytest.skip("Neo4j is not there: `make engines` gets it ready.")
    server = Neo4jServer(tmp_path_factory.mktemp("killed"))
    server.start()
    yield server
    server.kill()


class Writer:
    """The process that writes, and what it said."""

    def __init__(self, server: Neo4jServer, first: int, last: int, *how: str) -> None:
        self.said: list[tuple[str, int]] = []
        self._process = subprocess.Popen(
            [*WRITER, server.url, f"{first}", f"{last}", *how],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
        )

    def listen(self, word: str, count: int) -> None:
        """Hear until a word was said so many times, or the writer ended."""
        while sum(each == word for each, _ in self.said) < count:
            line = self._line()
            if not line:
                return
            said, number = line.split()
            self.said.append((said, int(number)))

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)

    def finish(self) -> int:
        self.listen("", sys.maxsize)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return self._process.wait(60)

    @property
    def done(self) -> set[str]:
        return {f"w{number}.md" for word, number in self.said if word == "done"}


def kept(server: Neo4jServer) -> set[str]:
    """Read what is there, and see that none of it is half there."""
    with GraphDatabase.driver(server.url, auth=("neo4j", PASSWORD)) as driver:
        notes, _, _ = driver.execute_query(
            "MATCH (n:Note) RETURN n.id AS id, n.frontmatter + n.content AS text,"
            " COLLECT { MATCH (n)-[l:LINKS_TO]->(m) RETURN m.id ORDER BY l.order } AS links,"
            " COLLECT { MATCH (n)-[l:TAGGED]->(t) RETURN t.key ORDER BY l.order } AS tags,"
            " COUNT { (n)-[:IN]->(:Folder) } AS folders, COUNT { (n)-[:CALLED]->() } AS names"
        )
    memory = MemoryTexts({row["id"]: row["text"] for row in notes})
    for row in notes:
        assert row["links"] == memory.graph()[row["id"]]
        assert row["tags"] == [fold(tag) for tag in memory.digests()[row["id"]].tags]
        assert row["folders"] == 1
        assert row["names"] == len(memory.digests()[row["id"]].names)
    return set(memory.texts)


def test_a_killed_database_loses_nothing_that_it_acknowledged(own: Neo4jServer) -> None:
    writer = Writer(own, 1, WRITES + 1)
    writer.listen("done", WRITES // 3)
    own.kill()
    writer.listen("failed", 1)  # the fault is told, not waited out
    own.start()
    assert writer.finish() == 0  # and it went on by itself
    assert any(word == "failed" for word, _ in writer.said)
    found = kept(own)
    assert writer.done <= found
    assert found == {f"w{number}.md" for number in range(1, WRITES + 1)}


def test_a_killed_writer_leaves_nothing_half_written(own: Neo4jServer) -> None:
    for round_ in range(3):
        first = 10_000 * (round_ + 1)
        writer = Writer(own, first, first + WRITES)
        writer.listen("done", 10 + 7 * round_)
        writer.kill()
        writer.finish()
        assert writer.done <= kept(own)


def test_the_control_loses_what_it_said_too_early(own: Neo4jServer) -> None:
    writer = Writer(own, 90_000, 90_000 + WRITES, "careless")
    writer.listen("done", WRITES // 3)
    writer.kill()
    writer.finish()
    assert not writer.done <= kept(own)
